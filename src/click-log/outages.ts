import { type Clock, monotonicMs } from '../lib/clock.ts';

/** A period in which this process could not reach the database. */
export interface Outage {
  /** Wall clock. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** Time since the end, by the monotonic clock; 0 during the outage. */
  readonly overForMs: number;
}

/** Derives the last outage of the database from the results of a periodic query. */
export class Outages {
  readonly #clock: Clock;
  #succeededAtMs: number;
  #isDown = false;
  #last: { readonly fromMs: number; readonly untilMs: number; readonly overSinceMs: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#succeededAtMs = clock.nowMs();
  }

  addSuccess(): void {
    const nowMs = this.#clock.nowMs();
    if (this.#isDown)
      this.#last = { fromMs: this.#succeededAtMs, untilMs: nowMs, overSinceMs: monotonicMs() };
    this.#isDown = false;
    this.#succeededAtMs = nowMs;
  }

  addFault(): void {
    this.#isDown = true;
  }

  /** @returns null if there was none since the start. */
  last(): Outage | null {
    if (this.#isDown) return { fromMs: this.#succeededAtMs, untilMs: this.#clock.nowMs(), overForMs: 0 };
    if (this.#last === null) return null;
    const { fromMs, untilMs, overSinceMs } = this.#last;
    return { fromMs, untilMs, overForMs: monotonicMs() - overSinceMs };
  }
}
