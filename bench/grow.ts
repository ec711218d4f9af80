/** Fills a service's tables of clicks and events up to so many rows, by the statements that the service has for many rows. */
import pg from 'pg';
import { readUserAgent } from '../src/devices/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import type { Store } from '../src/platform/db/index.ts';
import { createIds } from '../src/platform/ids.ts';
import { deriveSecrets } from '../src/platform/secrets.ts';
import { say } from './progress.ts';
import { SECRET_KEY, type Service } from './service.ts';
import { openStoreOf } from './store.ts';
import { buildVisitors } from './visitors.ts';

const ROWS_AT_ONCE = 2_000;
const VISITORS = 40_000;
const SAY_EVERY = 250_000;

/**
 * @param rows how many each table is to have at the end.
 * @param there how many each has already.
 */
export async function grow(
  service: Service,
  there: { readonly clicks: number; readonly events: number },
  rows: number,
  installIds: readonly string[],
): Promise<void> {
  const store = await openStoreOf(service);
  try {
    const rowOf = await rowMakers(store, installIds);
    for (const table of ['clicks', 'events'] as const) {
      for (let have = there[table]; have < rows; have += ROWS_AT_ONCE) {
        const some = Array.from({ length: Math.min(ROWS_AT_ONCE, rows - have) }, (_, i) =>
          rowOf[table](have + i),
        );
        await store.insertMany(store.db, table, some as never[]);
        if (have % SAY_EVERY < ROWS_AT_ONCE) say(`  ${have} of ${rows} ${table}`);
      }
    }
    if (store.isShared) await settle(service.database);
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

/** What PostgreSQL would do by itself in the minutes after, and would be taken for what calls cost. */
async function settle(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    for (const table of ['clicks', 'events']) await client.query(`vacuum (analyze) ${table}`);
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}
