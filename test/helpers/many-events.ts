/** Events that were recorded before the test, more than the buffers of a connection hold. */
import { randomUUID } from 'node:crypto';
import { type Database, insertMany } from '../../src/db/index.ts';
import { chunks } from '../../src/lib/chunks.ts';
import { isoTime } from '../../src/lib/clock.ts';
import type { TestApp, World } from './world.ts';

const AT_ONCE = 500;

/** Inserts events without an install. @returns their ids, oldest first. */
export async function insertEvents(
  { service }: Pick<World, 'service'>,
  app: TestApp,
  { count, propertyBytes, userId = null }: { count: number; propertyBytes: number; userId?: string | null },
): Promise<string[]> {
  const at = isoTime(service.clock.nowMs());
  const properties = JSON.stringify({ text: 'x'.repeat(propertyBytes) });
  const events: Database['events'][] = Array.from({ length: count }, () => ({
    ...{ app_id: app.id, id: service.ids.next(), client_event_id: null, install_id: randomUUID() },
    ...{ event_name: 'level', properties, user_id: userId, sandbox: 0, occurred_at: at, created_at: at },
    ...{ erased: null, erased_at: null, link_id: null, campaign_id: null, platform: 'IOS', country: null },
    ...{ last_link_id: null, last_campaign_id: null, revenue_amount: null, revenue_currency: null },
    ...{ transaction_id: null, repeats_transaction: null },
  }));
  for (const some of chunks(events, AT_ONCE)) await insertMany(service.db, 'events', some);
  return events.map(({ id }) => id);
}
