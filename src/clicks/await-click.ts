import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { uuidTimeMs } from '../platform/ids.ts';
import type { ClickWaits, Waiter } from './click-waits.ts';
import type { JournalFlushes } from './journal-flushes.ts';
import type { Outage } from './outages.ts';
import { findClick } from './queries.ts';

/** Another process may have recorded a click this fresh without having applied it yet. */
const FRESH_CLICK_MS = 30 * SECOND_MS;
/** After an outage of the database it has this long to apply those that it recorded meanwhile, and a tenth of the outage. */
const CATCH_UP_WITHIN_MS = 30 * SECOND_MS;
const CATCH_UP_PER_AWAY = 0.1;
const LOOK_AGAIN_FOR_MS = 2 * SECOND_MS;
const LOOK_AGAIN_EVERY_MS = 100;

/** What it takes to wait for another process. */
export type AwaitingCtx = Ctx & {
  readonly journalFlushes: Pick<JournalFlushes, 'lastOutage'>;
  readonly clickWaits: ClickWaits;
};

/**
 * Gives another process the time to apply a click that a call names and that is only seconds old, or was made while the
 * database was away. Returns at once where too many calls wait.
 * @throws AppError `clicks.behind` for a click of an outage that is just over and is not there yet: to go on without it
 * would be for good.
 */
export async function awaitFreshClick(ctx: AwaitingCtx, waiter: Waiter, clickId: string): Promise<void> {
  const madeAtMs = uuidTimeMs(clickId);
  if (!ctx.store.isShared || madeAtMs === null) return;
  const isOfOutage = wasMadeIn(ctx.journalFlushes.lastOutage(), madeAtMs);
  if (!isOfOutage && Math.abs(ctx.clock.nowMs() - madeAtMs) > FRESH_CLICK_MS) return;
  const isThere = async () => (await findClick(ctx.db, waiter.appId, clickId)) !== undefined;
  if ((await isThere()) || (await ctx.clickWaits.during(waiter, () => becomesTrue(isThere)))) return;
  if (isOfOutage) throw new AppError('clicks.behind');
}

async function becomesTrue(isSo: () => Promise<boolean>): Promise<boolean> {
  const untilMs = monotonicMs() + LOOK_AGAIN_FOR_MS;
  while (monotonicMs() < untilMs) {
    await sleep(LOOK_AGAIN_EVERY_MS);
    if (await isSo()) return true;
  }
  return false;
}

/** Whether a click was made in an outage, or just before it, and others may still be applying what they recorded then. */
function wasMadeIn(outage: Outage | null, madeAtMs: number): boolean {
  if (outage === null) return false;
  const { overForMs } = outage;
  // The clock may have been set back meanwhile.
  const fromMs = Math.min(outage.fromMs, outage.untilMs);
  const untilMs = Math.max(outage.fromMs, outage.untilMs);
  if (overForMs > CATCH_UP_WITHIN_MS + (untilMs - fromMs) * CATCH_UP_PER_AWAY) return false;
  return madeAtMs >= fromMs - FRESH_CLICK_MS && madeAtMs <= untilMs + FRESH_CLICK_MS;
}
