import { Counter, Histogram } from 'prom-client';
import type { Foundation } from '../foundation.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { NewClick } from './click.ts';
import { JournalFull, ShareUsed } from './journal/index.ts';

const LOG_EVERY_MS = 10 * SECOND_MS;

/** The clicks of one write to the journal. */
interface Write {
  readonly written: Promise<void>;
  /** One promise for all clicks of the write. */
  readonly onDisk: Promise<boolean>;
  readonly clicks: Map<NewClick['visitor'], number>;
}

/** Counts written and lost clicks, and keeps the last write error. */
export class WriteResults {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #recordedTotal: Counter<'visitor'>;
  readonly #lostTotal: Counter;
  readonly #writeSeconds: Histogram;
  readonly #applySeconds: Histogram;
  readonly #applyFailures: Counter;
  #write: Write | undefined;
  #lost = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #fault: unknown;

  constructor({ clock, log, metrics }: Pick<Foundation, 'clock' | 'log' | 'metrics'>) {
    this.#clock = clock;
    this.#log = log;
    this.#recordedTotal = new Counter({
      name: 'throughline_clicks_recorded_total',
      help: 'Clicks on short links that are on disk, by kind of visitor',
      labelNames: ['visitor'],
      registers: [metrics],
    });
    this.#lostTotal = new Counter({
      name: 'throughline_clicks_lost_total',
      help: 'Clicks that could not be written, or that damage of the journal destroyed',
      registers: [metrics],
    });
    this.#writeSeconds = new Histogram({
      name: 'throughline_click_journal_write_duration_seconds',
      help: 'Synchronous writes of the click journal, each until its rows are on disk',
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers: [metrics],
    });
    this.#applySeconds = new Histogram({
      name: 'throughline_clicks_apply_duration_seconds',
      help: 'Transactions that store clicks of the journal in the database',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [metrics],
    });
    this.#applyFailures = new Counter({
      name: 'throughline_clicks_apply_failures_total',
      help: 'Failed attempts to store clicks of the journal in the database; they are repeated',
      registers: [metrics],
    });
  }

  /** A write to the journal took so long, until it was on disk. */
  noteWrite(ms: number): void {
    this.#writeSeconds.observe(ms / SECOND_MS);
  }

  /** A read of the journal was stored in the database in this time. */
  noteApplied(ms: number): void {
    this.#applySeconds.observe(ms / SECOND_MS);
  }

  noteApplyFailed(): void {
    this.#applyFailures.inc();
  }

  /** The last write error; undefined again after a successful `retry`. */
  get fault(): unknown {
    return this.#fault;
  }

  /** Clears the fault if `probe` succeeds and no click is lost meanwhile. */
  async retry(probe: Promise<void>): Promise<void> {
    const lost = this.#lost;
    await probe.then(
      () => {
        if (this.#lost === lost) this.#fault = undefined;
      },
      () => undefined,
    );
  }

  /** Number of clicks that could not be written or were destroyed later. */
  get lost(): number {
    return this.#lost;
  }

  countLost(clicks: number): void {
    this.#lost += clicks;
    this.#lostTotal.inc(clicks);
  }

  /**
   * Resolves to whether the click is on disk. Never rejects.
   * @param written the journal's promise, one per write.
   */
  add(visitor: NewClick['visitor'], written: Promise<void>): Promise<boolean> {
    if (this.#write?.written !== written) this.#write = this.#startWrite(written);
    const { clicks, onDisk } = this.#write;
    clicks.set(visitor, (clicks.get(visitor) ?? 0) + 1);
    return onDisk;
  }

  #startWrite(written: Promise<void>): Write {
    const clicks: Write['clicks'] = new Map();
    const onDisk = written.then(
      () => this.#countRecorded(clicks),
      (error: unknown) => this.#reportLost(clicks, error),
    );
    return { written, onDisk, clicks };
  }

  #countRecorded(clicks: Write['clicks']): true {
    for (const [visitor, count] of clicks) this.#recordedTotal.inc({ visitor }, count);
    return true;
  }

  #reportLost(clicks: Write['clicks'], error: unknown): false {
    // Other apps can still write.
    if (!(error instanceof ShareUsed)) this.#fault = error;
    for (const count of clicks.values()) this.countLost(count);
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#loggedAtMs >= LOG_EVERY_MS) {
      this.#loggedAtMs = nowMs;
      this.#log.error(
        {
          err: error,
          lost: this.#lost,
          ...(error instanceof JournalFull && { condition: 'clicks not recorded' }),
        },
        'Failed to write clicks: visitors are redirected, but their clicks are lost',
      );
    }
    return false;
  }
}
