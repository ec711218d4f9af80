/**
 * Destinations that fail rest: each attempt reads its records and makes a call of them, so that a dead destination with many
 * batches would take as much of the service as a living one. One batch then finds out whether it is back.
 */
import { LRUCache } from 'lru-cache';
import { SECOND_MS } from '../../lib/clock.ts';
import type { AttemptResult } from '../attempts/send.ts';

/** Failures in a row before the first rest: single ones are no reason to hold the other batches. */
const FAILURES = 3;
const FIRST_REST_MS = SECOND_MS;
/** A destination that is back is found so soon. */
const MAX_REST_MS = 10 * SECOND_MS;
const MAX_DESTINATIONS = 10_000;

interface Failing {
  readonly failures: number;
  readonly restMs: number;
  readonly untilMs: number;
}

const NONE: Failing = { failures: 0, restMs: 0, untilMs: 0 };

/** Of this process. */
export class Rests {
  readonly #failing = new LRUCache<string, Failing>({ max: MAX_DESTINATIONS });

  /** @returns how long the destination rests after a result, twice as long each time; null if it need not. */
  after(id: string, result: AttemptResult, nowMs: number): number | null {
    const { success, httpStatus, isInterrupted, blamesMessage = false, outcome, pauseMs } = result;
    // One that refuses records is well; other records must not wait.
    if (outcome !== undefined || blamesMessage) {
      // Without a call, nothing is known of the destination.
      if (httpStatus !== 0) this.#failing.delete(id);
      return null;
    }
    if (success || isInterrupted || pauseMs !== null) return null;
    const last = this.#failing.get(id) ?? NONE;
    // In flight when the rest began.
    if (last.untilMs > nowMs) return last.untilMs - nowMs;
    const failures = last.failures + 1;
    const isTired = failures >= FAILURES;
    const restMs = isTired ? Math.min(Math.max(FIRST_REST_MS, 2 * last.restMs), MAX_REST_MS) : 0;
    this.#failing.set(id, { failures, restMs, untilMs: nowMs + restMs });
    return isTired ? restMs : null;
  }
}
