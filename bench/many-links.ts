import { systemClock } from '../src/platform/clock.ts';
import { createIds } from '../src/platform/ids.ts';
import type { Service } from './service.ts';
import { openStoreOf } from './store.ts';
import { LINKS, MANY_LINKS, shortCode } from './visitors.ts';

const ROWS_AT_ONCE = 1_000;

/** Gives a service links up to `MANY_LINKS`, each like one of those that it has. */
export async function makeManyLinks(service: Service): Promise<void> {
  const store = await openStoreOf(service);
  const ids = createIds(systemClock);
  try {
    const models = await store.db.selectFrom('links').selectAll().execute();
    for (let from = LINKS; from < MANY_LINKS; from += ROWS_AT_ONCE) {
      const links = Array.from({ length: Math.min(ROWS_AT_ONCE, MANY_LINKS - from) }, (_, index) => {
        const model = models[(from + index) % models.length];
        if (model === undefined) throw new Error('the service has no links');
        return { ...model, id: ids.next(), short_code: shortCode(from + index) };
      });
      await store.insertMany(store.db, 'links', links);
      const codes = links.map(({ short_code: code, app_id, id: link_id }) => ({ code, app_id, link_id }));
      await store.insertMany(store.db, 'short_codes', codes);
    }
  } finally {
    await store.close();
  }
}
