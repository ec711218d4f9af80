import { type Clock, monotonicMs } from '../platform/clock.ts';

/** A time in which this process had no answer from the database. */
export interface Outage {
  /** By the clock that may be set. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** How long it has been over; 0 while it lasts. */
  readonly overForMs: number;
}

/** Knows when the database was away last, by something that is asked of it all the time. */
export class Outages {
  readonly #clock: Clock;
  #answeredAtMs: number;
  #isAway = false;
  #last: { readonly fromMs: number; readonly untilMs: number; readonly overSinceMs: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#answeredAtMs = clock.nowMs();
  }

  noteAnswer(): void {
    const nowMs = this.#clock.nowMs();
    if (this.#isAway) this.#last = { fromMs: this.#answeredAtMs, untilMs: nowMs, overSinceMs: monotonicMs() };
    this.#isAway = false;
    this.#answeredAtMs = nowMs;
  }

  noteFault(): void {
    this.#isAway = true;
  }

  /** Null where there was none since the start. */
  last(): Outage | null {
    if (this.#isAway) return { fromMs: this.#answeredAtMs, untilMs: this.#clock.nowMs(), overForMs: 0 };
    if (this.#last === null) return null;
    const { fromMs, untilMs, overSinceMs } = this.#last;
    return { fromMs, untilMs, overForMs: monotonicMs() - overSinceMs };
  }
}
