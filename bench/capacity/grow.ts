/** Fills a service's clicks and events up to a number of rows, with the service's own bulk insert. */
import pg from 'pg';
import { insertMany, isShared, type Store } from '../../src/db/index.ts';
import { readUserAgent } from '../../src/devices/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createIds } from '../../src/lib/ids.ts';
import { deriveSecrets } from '../../src/lib/secrets.ts';
import { SECRET_KEY, type Service } from '../lib/service.ts';
import { openStoreOf } from '../lib/store.ts';
import { buildVisitors } from '../lib/visitors.ts';

const BATCH_ROWS = 2_000;
const VISITORS = 40_000;
const LOG_EVERY_ROWS = 250_000;

/**
 * @param existing rows of each table before.
 * @param rows of each table afterwards.
 */
export async function grow(
  service: Service,
  existing: { readonly clicks: number; readonly events: number },
  rows: number,
  installIds: readonly string[],
): Promise<void> {
  const store = await openStoreOf(service);
  try {
    const rowOf = await rowMakers(store, installIds);
    for (const table of ['clicks', 'events'] as const) {
      for (let count = existing[table]; count < rows; count += BATCH_ROWS) {
        const batch = Array.from({ length: Math.min(BATCH_ROWS, rows - count) }, (_, i) =>
          rowOf[table](count + i),
        );
        await insertMany(store.db, table, batch as never[]);
        if (count % LOG_EVERY_ROWS < BATCH_ROWS) console.error(`  ${count} of ${rows} ${table}`);
      }
    }
    if (isShared(store.db)) await vacuum(service.database);
  } finally {
    await store.close();
  }
}

async function rowMakers(store: Store, installIds: readonly string[]) {
  const links = await store.db.selectFrom('links').select(['app_id', 'id', 'campaign_id']).execute();
  const ids = createIds(systemClock);
  const { hashAddress } = deriveSecrets(SECRET_KEY);
  const appId = links[0]?.app_id ?? '';
  const visitors = buildVisitors(VISITORS, 20_261_123).map((visitor) => ({
    ...visitor,
    ipHash: hashAddress(appId, visitor.address),
    platform: readUserAgent(visitor.userAgent).platform,
  }));
  return {
    clicks(i: number): object {
      const link = links[i % links.length];
      const visitor = visitors[(i * 7_919) % visitors.length];
      return {
        ...{ app_id: appId, id: ids.next(), link_id: link?.id, campaign_id: link?.campaign_id },
        ...{ sandbox: 0, visitor: 'human', platform: visitor?.platform, ip_hash: visitor?.ipHash },
        ...{ user_agent: visitor?.userAgent, accept_language: visitor?.acceptLanguage },
        clicked_at: new Date().toISOString(),
      };
    },
    events(i: number): object {
      const now = new Date().toISOString();
      const properties = JSON.stringify({
        orderId: `order-${i}`,
        amount: 19.99 + (i % 500),
        currency: 'EUR',
      });
      return {
        ...{ app_id: appId, id: ids.next(), install_id: installIds[i % installIds.length] },
        ...{
          event_name: 'purchase',
          properties,
          user_id: null,
          sandbox: 0,
          occurred_at: now,
          created_at: now,
        },
      };
    },
  };
}

/** Runs the work that autovacuum and the checkpointer would otherwise do during the measurement. */
async function vacuum(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    for (const table of ['clicks', 'events']) await client.query(`vacuum (analyze) ${table}`);
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}
