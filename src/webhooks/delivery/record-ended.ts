import { insertAuditEntries } from '../../audit/index.ts';
import { isoTime } from '../../platform/clock.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { completed, type Ended, failedAttempts, isGivenUp, toAuditEntry, waitAfter } from './attempt.ts';
import { completeAttempts, deleteDue, releaseDue } from './queue.ts';

/** Records how attempts ended and what becomes of their deliveries: done, to be tried again, or given up. */
export async function recordEnded(tx: Ctx, ended: readonly Ended[]): Promise<void> {
  await completeAttempts(
    tx,
    ended.map((each) => completed(tx, each)),
  );
  for (const [waitMs, some] of Map.groupBy(ended, waitAfter)) {
    if (waitMs === null) await deleteDue(tx.db, deliveriesOf(some));
    else await tryAgain(tx, some, waitMs);
  }
  const givenUp = ended.filter(isGivenUp);
  await insertAuditEntries(
    tx.db,
    givenUp.map((each) => toAuditEntry(tx, each)),
  );
}

async function tryAgain(tx: Ctx, ended: readonly Ended[], waitMs: number): Promise<void> {
  const dueAt = isoTime(tx.clock.nowMs() + waitMs);
  for (const [failed, some] of Map.groupBy(ended, failedAttempts))
    await releaseDue(tx.db, deliveriesOf(some), { failedAttempts: failed, dueAt });
}

function deliveriesOf(ended: readonly Ended[]) {
  return ended.map(({ attempt }) => attempt.delivery);
}
