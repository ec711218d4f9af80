import type { Clock } from '../lib/clock.ts';
import { isAtOrAfter, type Position } from './journal/index.ts';

/** Clicks before `end`, the oldest of them written at `atMs`. */
interface Sample {
  end: Position;
  readonly atMs: number;
}

/** Minimum distance of samples: this time or share of the lag, whichever is larger. A day's outage has about 1,000. */
const SAMPLE_EVERY_MS = 20;
const SAMPLE_EVERY_LAG = 0.01;

/** The age of the oldest click on disk that is not in the database. */
export class ApplyLag {
  readonly #clock: Clock;
  /** Samples that are not applied, oldest first. */
  readonly #samples: Sample[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Everything before `end` is on disk. */
  written(end: Position): void {
    const atMs = this.#clock.nowMs();
    const last = this.#samples.at(-1);
    const intervalMs = Math.max(SAMPLE_EVERY_MS, this.ms() * SAMPLE_EVERY_LAG);
    if (last !== undefined && atMs - last.atMs < intervalMs) last.end = end;
    else this.#samples.push({ end, atMs });
  }

  /** Everything before `position` is in the database. */
  applied(position: Position): void {
    const first = this.#samples.findIndex(({ end }) => !isAtOrAfter(position, end));
    this.#samples.splice(0, first === -1 ? this.#samples.length : first);
  }

  ms(): number {
    const [oldest] = this.#samples;
    return oldest === undefined ? 0 : Math.max(0, this.#clock.nowMs() - oldest.atMs);
  }
}
