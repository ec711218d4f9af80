/** Changes of accounts that belong to no app: rare, and never deleted. */

import type { Db, ServiceLogTable, Transaction } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { NO_APP } from '../lib/ids.ts';
import { type ChangedBy, changerFields } from './change.ts';

interface ServiceChange {
  readonly action:
    | 'operator.marked'
    | 'operator.unmarked'
    | 'setup.address_made'
    | 'setup.used'
    | 'password_reset.address_made'
    | 'password_reset.used';
  readonly by: ChangedBy;
  /** Null before there is one. */
  readonly userId: string | null;
  /** Of the user whom the change is about. */
  readonly email?: string | undefined;
}

/** Records a change in the caller's transaction. */
export async function recordServiceChange(
  tx: Transaction,
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  { action, by, userId, email }: ServiceChange,
): Promise<void> {
  const details = JSON.stringify({ recordId: userId ?? NO_APP, email, ...changerFields(by) });
  const entry = { id: ids.next(), action, details, created_at: isoTime(clock.nowMs()) };
  await tx.insertInto('service_log').values(entry).execute();
}

/** Newest first, optionally of one action, and before an entry or a time. */
export async function listServiceLog(
  db: Db,
  page: { action: string | null; beforeId: string | null; beforeTime: string | null; limit: number },
): Promise<ServiceLogTable[]> {
  const { action, beforeId, beforeTime, limit } = page;
  return await db
    .selectFrom('service_log')
    .selectAll()
    .$if(action !== null, (query) => query.where('action', '=', action ?? ''))
    .$if(beforeId !== null, (query) => query.where('id', '<', beforeId ?? ''))
    .$if(beforeTime !== null, (query) => query.where('created_at', '<', beforeTime ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
