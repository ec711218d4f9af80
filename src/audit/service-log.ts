/** Changes of accounts and of the service, which belong to no app: rare but for sign-ins, and kept. */
import type { Db, ServiceLogTable, Transaction } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { leastIdAt, NO_APP } from '../lib/ids.ts';
import type { ServiceAction } from './actions.ts';
import { type ChangedBy, changerFields } from './change.ts';
import { filterEntries, type Page } from './list-entries.ts';

interface ServiceChange {
  readonly action: ServiceAction;
  readonly by: ChangedBy;
  /** The user, or the app, that the change is about; null before there is one. */
  readonly recordId: string | null;
  /** Of the user whom the change is about. */
  readonly email?: string | undefined;
  /** Identifies the record to people. No secret. */
  readonly about?: Readonly<Record<string, unknown>>;
}

/** Records a change in the caller's transaction. */
export async function recordServiceChange(
  tx: Transaction,
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  { action, by, recordId, email, about }: ServiceChange,
): Promise<void> {
  const details = JSON.stringify({ recordId: recordId ?? NO_APP, email, ...about, ...changerFields(by) });
  const entry = { id: ids.next(), action, details, created_at: isoTime(clock.nowMs()) };
  await tx.insertInto('service_log').values(entry).execute();
}

/** A page, in its order. */
export async function listServiceLog(db: Db, page: Page): Promise<ServiceLogTable[]> {
  if (page.actions?.length === 0) return [];
  return await filterEntries(db.selectFrom('service_log'), page).selectAll().limit(page.limit).execute();
}

/** Of all users; a sign-in is the one frequent entry. @returns the number deleted. */
export async function deleteOldSignIns(db: Db, beforeMs: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('service_log')
    .where('action', '=', 'user.signed_in')
    .where('id', '<', leastIdAt(beforeMs))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
