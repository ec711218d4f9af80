import { insertAuditEntries } from '../../audit/index.ts';
import { type Ctx, inTransaction } from '../../ctx.ts';
import { type FinishedAttempt, isFinalFailure, toAuditEntry, toLogRow, toRetry } from './attempt.ts';
import { claimAbandoned, deleteInFlight, findMessages, insertDue } from './queue.ts';
import { INTERRUPTED } from './send.ts';

const RECOVERED_AT_ONCE = 1_000;

/**
 * Moves finished attempts into the log, and schedules retries. Skips an attempt that outlasted its limit and that
 * another process has recorded as interrupted.
 */
export async function recordFinished(tx: Ctx, finished: readonly FinishedAttempt[]): Promise<void> {
  const records = finished.map(({ attempt }) => attempt.record);
  const deleted = await deleteInFlight(tx, records);
  const own = finished.filter(({ attempt }) => deleted.has(attempt.record.id));
  await insertResults(tx, own);
}

/** Across apps: records attempts that began before a time as interrupted; their deliveries are due again. */
export async function recordAbandoned(ctx: Ctx, startedBeforeMs: number): Promise<void> {
  for (;;) {
    const count = await inTransaction(ctx, async (tx) => {
      const abandoned = await claimAbandoned(tx, startedBeforeMs, RECOVERED_AT_ONCE);
      const messages = await findMessages(tx, abandoned);
      const interrupted = abandoned.flatMap((record) => {
        const message = messages.get(record.message_id);
        return message === undefined ? [] : { attempt: { record, message }, result: INTERRUPTED };
      });
      await insertResults(tx, interrupted);
      return abandoned.length;
    });
    if (count < RECOVERED_AT_ONCE) break;
  }
}

async function insertResults(tx: Ctx, finished: readonly FinishedAttempt[]): Promise<void> {
  const retries = finished.flatMap((each) => toRetry(tx, each) ?? []);
  const failures = finished.filter(isFinalFailure).map((each) => toAuditEntry(tx, each));
  await tx.store.insertMany(tx.db, 'webhook_attempts', finished.map(toLogRow));
  await insertDue(tx, retries);
  await insertAuditEntries(tx.db, failures);
}
