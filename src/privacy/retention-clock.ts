/**
 * Protects retention from a wrong clock: the newest trusted time is stored, and retention waits when the clock differs by
 * more than a day from that time or from the database's clock.
 */

import { Gauge, type Registry } from 'prom-client';
import type { Db, Store } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { type Clock, DAY_MS, HOUR_MS, isoTime, MINUTE_MS, monotonicMs } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

const MAX_LEAP_MS = DAY_MS;
const STEADY_FOR_MS = HOUR_MS;
const WARN_EVERY_MS = HOUR_MS;

/** `leap`: from the newest time seen, in either direction. `clocks_differ`: from the clock of a shared database. */
type ClockDoubt = 'leap' | 'clocks_differ';

export interface ClockReading {
  readonly nowMs: number;
  /** The newest time that retention has trusted. */
  readonly seenMs: number;
  readonly doubt: ClockDoubt | null;
}

interface RetentionClock {
  /**
   * The current time in milliseconds since the epoch, or null while retention waits. After a leap the clock is trusted
   * once it has run steadily for an hour by the monotonic clock of this process.
   */
  trustedMs(): Promise<number | null>;
}

/** @param elapsedMs a monotonic clock in milliseconds. */
export function createRetentionClock(
  { db, store, clock, log, metrics }: { db: Db; store: Store; clock: Clock; log: Log; metrics: Registry },
  elapsedMs = monotonicMs,
): RetentionClock {
  const waiting = new Gauge({
    name: 'throughline_retention_waiting',
    help: '1 while retention drops nothing because the clock is in doubt',
    registers: [metrics],
  });
  let leap: { readonly atMs: number; readonly sinceMs: number } | null = null;
  let warnedMs = Number.NEGATIVE_INFINITY;

  function isSteady({ nowMs }: ClockReading): boolean {
    const elapsed = elapsedMs();
    const moved = leap === null ? 0 : nowMs - leap.atMs - (elapsed - leap.sinceMs);
    if (leap === null || Math.abs(moved) > MAX_LEAP_MS) leap = { atMs: nowMs, sinceMs: elapsed };
    return elapsed - leap.sinceMs >= STEADY_FOR_MS;
  }

  function warn({ nowMs, seenMs, doubt }: ClockReading): void {
    if (elapsedMs() - warnedMs < WARN_EVERY_MS) return;
    warnedMs = elapsedMs();
    const heldForMinutes = leap === null ? 0 : Math.floor((elapsedMs() - leap.sinceMs) / MINUTE_MS);
    log.warn(
      { now: isoTime(nowMs), newestSeen: isoTime(seenMs), reason: doubt, heldForMinutes },
      WARNINGS[doubt ?? 'leap'],
    );
  }

  return {
    async trustedMs() {
      const reading = await readClock({ db, store, clock });
      if (reading.doubt !== 'leap') leap = null;
      const isTrusted = reading.doubt === null || (reading.doubt === 'leap' && isSteady(reading));
      waiting.set(isTrusted ? 0 : 1);
      if (!isTrusted) {
        warn(reading);
        return null;
      }
      if (reading.doubt !== null)
        log.warn(
          { now: isoTime(reading.nowMs), newestSeen: isoTime(reading.seenMs) },
          'The clock has run steadily for an hour after its leap; retention resumes',
        );
      leap = null;
      warnedMs = Number.NEGATIVE_INFINITY;
      await updateSeen(db, reading.nowMs);
      return reading.nowMs;
    },
  };
}

const WARNINGS: Readonly<Record<ClockDoubt, string>> = {
  leap: 'The clock is more than a day away from the newest time that retention has seen: nothing is dropped until the clock has held for an hour. If the time is right, run “throughline retention confirm”; otherwise correct the clock',
  clocks_differ:
    'The clocks of this machine and of the database differ by more than a day: this process drops nothing. Correct the wrong clock',
};

export async function readClock({
  db,
  store,
  clock,
}: {
  db: Db;
  store: Store;
  clock: Clock;
}): Promise<ClockReading> {
  const { seen_at } = await db.selectFrom('retention_clock').select('seen_at').executeTakeFirstOrThrow();
  const databaseMs = await store.databaseNowMs();
  const nowMs = clock.nowMs();
  const seenMs = Date.parse(seen_at);
  return { nowMs, seenMs, doubt: doubtOf({ nowMs, seenMs, databaseMs: databaseMs ?? nowMs }) };
}

function doubtOf(times: { nowMs: number; seenMs: number; databaseMs: number }): ClockDoubt | null {
  const isFar = (ms: number) => Math.abs(times.nowMs - ms) > MAX_LEAP_MS;
  if (isFar(times.databaseMs)) return 'clocks_differ';
  return isFar(times.seenMs) ? 'leap' : null;
}

/**
 * Trusts the current time by an operator's confirmation; all processes on the database resume within a minute.
 * @throws AppError `retention.clocks_differ`
 */
export async function confirmClock({
  db,
  store,
  clock,
  log,
}: {
  db: Db;
  store: Store;
  clock: Clock;
  log: Log;
}): Promise<ClockReading> {
  const { nowMs, seenMs, doubt } = await readClock({ db, store, clock });
  if (doubt === 'clocks_differ') throw new AppError('retention.clocks_differ');
  await updateSeen(db, nowMs);
  log.warn(
    { now: isoTime(nowMs), newestSeen: isoTime(seenMs) },
    'An operator confirmed the clock for retention',
  );
  return { nowMs, seenMs: nowMs, doubt: null };
}

async function updateSeen(db: Db, nowMs: number): Promise<void> {
  await db
    .updateTable('retention_clock')
    .set({ seen_at: isoTime(nowMs) })
    .execute();
}
