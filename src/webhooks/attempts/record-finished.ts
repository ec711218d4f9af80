import { insertAuditEntries } from '../../audit/index.ts';
import { insertMany, type Transaction } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import {
  type FinishedAttempt,
  hasEnded,
  isFinalFailure,
  toAuditEntry,
  toHold,
  toLogRow,
  toRetry,
} from './attempt.ts';
import { type DueAttempt, deleteInFlight, dropDelivered, insertDue } from './queue.ts';
import { type Hold, holdReceivers } from './receiver.ts';
import { countResults, insertFailures } from './results.ts';

/** What follows from recorded attempts. */
export interface Recorded {
  /** Of these messages, or of what follows from them. */
  readonly retries: readonly DueAttempt[];
  readonly holds: readonly Hold[];
}

/**
 * Moves finished attempts into the log, and schedules retries. Skips an attempt that outlasted its lease and that
 * another process has recorded as interrupted.
 */
export async function recordFinished(
  tx: Transaction,
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  finished: readonly FinishedAttempt[],
): Promise<Recorded> {
  const deleted = await deleteInFlight(
    tx,
    finished.map(({ attempt }) => attempt.row),
  );
  const own = finished.filter(({ attempt }) => deleted.has(attempt.row.id));
  return await insertResults(tx, { clock, ids }, own);
}

/** What finished attempts leave behind. */
export async function insertResults(
  tx: Transaction,
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  finished: readonly FinishedAttempt[],
): Promise<Recorded> {
  const retries = finished.flatMap((each) => toRetry({ clock, ids }, each) ?? []);
  const holds = finished.flatMap((each) => toHold({ clock }, each) ?? []);
  const failures = finished
    .filter(isFinalFailure)
    .flatMap((each) => toAuditEntry({ clock, ids }, each) ?? []);
  await insertMany(tx, 'webhook_attempts', finished.map(toLogRow));
  await insertDue(tx, retries);
  await insertAuditEntries(tx, failures);
  await insertFailures(tx, finished);
  const repeated = finished.filter(({ attempt, result }) => result.success && attempt.row.is_repeat === 1);
  await dropDelivered(
    tx,
    repeated.map(({ attempt }) => attempt.row),
  );
  const following = await recordEnds(tx, finished);
  // Last, since other processes wait for these rows.
  await countResults(tx, { clock }, finished);
  await holdReceivers(tx, holds);
  return { retries: [...retries, ...following], holds };
}

function recordOf({ attempt: { message } }: FinishedAttempt): string {
  return message.record_id ?? '';
}

async function recordEnds(tx: Transaction, finished: readonly FinishedAttempt[]): Promise<DueAttempt[]> {
  const following: DueAttempt[] = [];
  // In the order in which batches of events lock their installs, so that they cannot deadlock.
  const inOrder = finished.toSorted((a, b) => (recordOf(a) < recordOf(b) ? -1 : 1));
  for (const each of inOrder) {
    const { row, message, target } = each.attempt;
    if (!target?.recordEnd || !hasEnded(each)) continue;
    following.push(...(await target.recordEnd(tx, { row, message, result: each.result })));
  }
  return following;
}
