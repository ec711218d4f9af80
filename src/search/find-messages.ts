import type { Actor } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import type { IdRange } from '../lib/ids.ts';
import { findDeliveries } from '../webhooks/index.ts';
import { type Found, MAX_OF_TYPE } from './found.ts';

/** Deliveries with an id in the range, and those of messages with one. */
export async function findMessages(db: Db, actor: Actor, range: IdRange): Promise<Found[]> {
  const found = await findDeliveries(db, actor, { range, limit: MAX_OF_TYPE });
  return found.map(({ id, event_type, started_at }) => ({
    isWhole: range.from === range.to,
    result: { type: 'message', id, label: event_type, at: started_at },
  }));
}
