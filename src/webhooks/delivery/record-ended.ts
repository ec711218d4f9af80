import { insertAuditEntries } from '../../audit/index.ts';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { type Ended, isGivenUp, toAuditEntry, toDueAgain, toInterrupted, toLogRow } from './attempt.ts';
import { deleteUnderWay, findMessages, insertAttempts, insertDue, takeAbandoned } from './queue.ts';

/**
 * Records how attempts ended and what becomes of their deliveries: done, to be tried again, or given up. What was taken
 * over meanwhile, because it took longer than any attempt may, is recorded as interrupted already.
 */
export async function recordEnded(tx: Ctx, ended: readonly Ended[]): Promise<void> {
  const ours = await deleteUnderWay(
    tx,
    ended.map(({ attempt }) => attempt.record),
  );
  await log(
    tx,
    ended.filter(({ attempt }) => ours.has(attempt.record.id)),
  );
}

const TAKEN_OVER_AT_ONCE = 1_000;

/** Server's own: what began before and whose end nobody will tell is recorded as interrupted and waits again. */
export async function recordAbandoned(ctx: Ctx, startedBeforeMs: number): Promise<void> {
  for (;;) {
    const taken = await inTransaction(ctx, async (tx) => {
      const abandoned = await takeAbandoned(tx, startedBeforeMs, TAKEN_OVER_AT_ONCE);
      const messages = await findMessages(tx, abandoned);
      const ended = abandoned.flatMap((record) => {
        const message = messages.get(record.message_id);
        return message === undefined ? [] : toInterrupted(record, message);
      });
      await log(tx, ended);
      return abandoned.length;
    });
    if (taken < TAKEN_OVER_AT_ONCE) break;
  }
}

async function log(tx: Ctx, ended: readonly Ended[]): Promise<void> {
  await insertAttempts(tx, ended.map(toLogRow));
  await insertDue(
    tx,
    ended.flatMap((each) => toDueAgain(tx, each) ?? []),
  );
  await insertAuditEntries(
    tx.db,
    ended.filter(isGivenUp).map((each) => toAuditEntry(tx, each)),
  );
}
