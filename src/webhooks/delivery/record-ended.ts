import { insertAuditEntries } from '../../audit/index.ts';
import { isoTime } from '../../platform/clock.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { completed, type Ended, isGivenUp, toAuditEntry, waitAfter } from './attempt.ts';
import { completeAttempts, deleteDue, releaseDue } from './queue.ts';

/** Records how attempts ended and what becomes of their deliveries: done, to be tried again, or given up. */
export async function recordEnded(tx: Ctx, ended: readonly Ended[]): Promise<void> {
  await completeAttempts(
    tx.db,
    ended.map(({ attempt, outcome }) => completed(tx, attempt, outcome)),
  );
  const done = ended
    .filter(({ attempt, outcome }) => waitAfter(attempt.delivery, outcome) === null)
    .map(({ attempt }) => attempt.delivery);
  for (const deliveries of Map.groupBy(done, ({ app_id: appId }) => appId).values())
    await deleteDue(tx.db, deliveries);
  for (const each of ended) await tryAgain(tx, each);
  const givenUp = ended.filter(({ attempt, outcome }) => isGivenUp(attempt.delivery, outcome));
  await insertAuditEntries(
    tx.db,
    givenUp.map((each) => toAuditEntry(tx, each)),
  );
}

/** An interrupted attempt counts as none. */
async function tryAgain(tx: Ctx, { attempt: { delivery }, outcome }: Ended): Promise<void> {
  const waitMs = waitAfter(delivery, outcome);
  if (waitMs === null) return;
  await releaseDue(tx.db, delivery, {
    failedAttempts: delivery.failed_attempts + (outcome.isInterrupted ? 0 : 1),
    dueAt: isoTime(tx.clock.nowMs() + waitMs),
  });
}
