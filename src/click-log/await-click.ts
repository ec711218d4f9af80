import { setTimeout as sleep } from 'node:timers/promises';
import { isShared } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { monotonicMs, SECOND_MS } from '../lib/clock.ts';
import { uuidTimeMs } from '../lib/ids.ts';
import type { ClickRow } from './click.ts';
import type { ClickWaits, Waiter } from './click-waits.ts';
import type { JournalFlushes } from './journal-flushes.ts';
import type { Outage } from './outages.ts';
import { findClick } from './queries.ts';

/** A younger click may still be in the journal of another process. */
const FRESH_CLICK_MS = 30 * SECOND_MS;
/** After an outage of the database, other processes apply their journals within this time plus a tenth of the outage. */
const CATCH_UP_MS = 30 * SECOND_MS;
const CATCH_UP_PER_OUTAGE = 0.1;
const WAIT_MS = 2 * SECOND_MS;
const POLL_EVERY_MS = 100;

/** Dependencies of waiting for clicks of other processes. */
export interface ClickWaiting extends Pick<Foundation, 'db' | 'clock'> {
  readonly journalFlushes: Pick<JournalFlushes, 'lastOutage'>;
  readonly clickWaits: ClickWaits;
}

/**
 * Waits until another process has applied a click, if the click is fresh or was made during an outage of the database.
 * Returns at once if too many calls wait.
 * @returns the click, if it was looked for and found.
 * @throws AppError `clicks.behind` if a click of a recent outage is missing: continuing would lose its attribution.
 */
export async function awaitFreshClick(
  { db, clock, journalFlushes, clickWaits }: ClickWaiting,
  waiter: Waiter,
  clickId: string,
): Promise<ClickRow | undefined> {
  const madeAtMs = uuidTimeMs(clickId);
  if (!isShared(db) || madeAtMs === null) return undefined;
  const isOfOutage = wasMadeIn(journalFlushes.lastOutage(), madeAtMs);
  if (!isOfOutage && Math.abs(clock.nowMs() - madeAtMs) > FRESH_CLICK_MS) return undefined;
  const find = () => findClick(db, waiter.appId, clickId);
  const untilMs = (waiter.sinceMs ?? monotonicMs()) + WAIT_MS;
  const click = (await find()) ?? (await clickWaits.during(waiter, () => poll(find, untilMs)));
  if (click === undefined && isOfOutage) throw new AppError('clicks.behind');
  return click;
}

async function poll<T>(find: () => Promise<T | undefined>, untilMs: number): Promise<T | undefined> {
  while (monotonicMs() < untilMs) {
    await sleep(POLL_EVERY_MS);
    const found = await find();
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a click was made during an outage, or shortly before or after it, and may not be applied yet. */
function wasMadeIn(outage: Outage | null, madeAtMs: number): boolean {
  if (outage === null) return false;
  // The clock may have been set back during the outage.
  const fromMs = Math.min(outage.fromMs, outage.untilMs);
  const untilMs = Math.max(outage.fromMs, outage.untilMs);
  if (outage.overForMs > CATCH_UP_MS + (untilMs - fromMs) * CATCH_UP_PER_OUTAGE) return false;
  return madeAtMs >= fromMs - FRESH_CLICK_MS && madeAtMs <= untilMs + FRESH_CLICK_MS;
}
