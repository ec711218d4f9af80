import { insertMany } from '../../src/db/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createIds } from '../../src/lib/ids.ts';
import type { Service } from '../lib/service.ts';
import { openStoreOf } from '../lib/store.ts';
import { LINKS, MANY_LINKS, shortCode } from '../lib/visitors.ts';

const BATCH_ROWS = 1_000;

/** Inserts copies of a service's links, up to `MANY_LINKS`. */
export async function insertManyLinks(service: Service): Promise<void> {
  const store = await openStoreOf(service);
  const ids = createIds(systemClock);
  try {
    const models = await store.db.selectFrom('links').selectAll().execute();
    for (let from = LINKS; from < MANY_LINKS; from += BATCH_ROWS) {
      const links = Array.from({ length: Math.min(BATCH_ROWS, MANY_LINKS - from) }, (_, index) => {
        const model = models[(from + index) % models.length];
        if (model === undefined) throw new Error('the service has no links');
        return { ...model, id: ids.next(), short_code: shortCode(from + index) };
      });
      await insertMany(store.db, 'links', links);
      const codes = links.map(({ short_code: code, app_id, id: link_id }) => ({ code, app_id, link_id }));
      await insertMany(store.db, 'short_codes', codes);
    }
  } finally {
    await store.close();
  }
}
