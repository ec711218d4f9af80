import { setTimeout as sleep } from 'node:timers/promises';
import type { Foundation } from '../foundation.ts';
import { monotonicMs } from '../lib/clock.ts';
import { ApplyLag } from './apply-lag.ts';
import type { DamagedSegments, TidyDeps } from './damaged-segments.ts';
import { type Damage, isAtOrAfter, type Journal, type Position } from './journal/index.ts';
import type { WriteResults } from './write-results.ts';

export interface ApplierDeps extends TidyDeps, Pick<Foundation, 'clock' | 'log'> {
  readonly damaged: DamagedSegments;
  readonly results: WriteResults;
}

interface ApplierOptions {
  readonly journal: Journal;
  /**
   * Stores the rows of batches. Rows that exist are skipped, so that it may be repeated.
   * @param faults since the last success.
   */
  readonly apply: (batches: readonly Buffer[], faults: number) => Promise<void>;
  /** Of a read. */
  readonly maxBytes: number;
  /** The longest pause between two attempts. */
  readonly maxRetryMs: number;
  readonly onFault: (error: unknown) => void;
  /** Called after a read was applied, with the position behind it. */
  readonly onApplied?: (position: Position) => void;
}

/** About 50 clicks. Reads are halved after each fault, since a slow database cancels long statements. */
const MIN_READ_BYTES = 16 * 1024;
/**
 * Large transactions write each page of the address index once for many clicks; small ones hold locks and processors for
 * less time. So the applier waits three times as long as the last transaction took, unless a full read is available: large
 * transactions under load, small ones otherwise. A waiting SDK call ends the delay.
 */
const DELAY_PER_TRANSACTION = 3;
const MIN_DELAY_MS = 20;
const MAX_DELAY_MS = 100;
const MIN_RETRY_MS = 100;
/** Fewer faults may be deadlocks or serialization failures. */
export const FAULTS_UNTIL_UNHEALTHY = 3;
/**
 * Backpressure: from this lag on, the journal pauses between writes, the longer the larger the lag. A tap waits for at
 * most `MAX_THROTTLE_MS`.
 */
const THROTTLE_FROM_MS = 500;
const LAG_PER_THROTTLE_MS = 10;
const MAX_THROTTLE_MS = 50;

/** Applies a journal in order, from its start: a journal left by a crash is applied again. */
export class JournalApplier {
  readonly #deps: ApplierDeps;
  readonly #options: ApplierOptions;
  readonly #journal: Journal;
  readonly #lag: ApplyLag;
  #position: Position;
  #stopping = false;
  #finished: Promise<void> = Promise.resolve();
  #idle = false;
  /** Duration of the last transaction. */
  #appliedInMs = 0;
  #maxReadBytes: number;
  /** Faults since the last success. */
  #faults = 0;
  #lastFault: unknown;
  #waiters: { position: Position; resolve: (reached: boolean) => void }[] = [];
  #endDelay: () => void = () => undefined;
  #endPause: () => void = () => undefined;

  constructor(deps: ApplierDeps, options: ApplierOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#journal = options.journal;
    this.#maxReadBytes = options.maxBytes;
    this.#position = options.journal.start;
    this.#lag = new ApplyLag(deps.clock);
    if (!this.isDone) this.#lag.written(options.journal.end);
  }

  start(): void {
    this.#finished = this.#run();
  }

  /** To be called after every write to the journal. */
  wake(): void {
    this.#lag.written(this.#journal.end);
    if (this.#idle) this.#endDelay();
  }

  /** Everything before this position is applied. */
  get position(): Position {
    return this.#position;
  }

  /** Whether everything on disk is applied. */
  get isDone(): boolean {
    return isAtOrAfter(this.#position, this.#journal.end);
  }

  /** The age of the oldest click that is not applied. */
  get lagMs(): number {
    return this.#lag.ms();
  }

  /** The last fault after several failed attempts; undefined while clicks are applied. */
  get fault(): unknown {
    return this.#faults >= FAULTS_UNTIL_UNHEALTHY ? this.#lastFault : undefined;
  }

  /** Whether the last attempt failed. */
  get isFailing(): boolean {
    return this.#faults > 0;
  }

  /** A pause if the applier lags behind; none while the database is unavailable, since pausing would not help. */
  throttle(): Promise<void> | undefined {
    const ms = this.#faults === 0 ? throttleMs(this.#lag.ms()) : 0;
    return ms === 0 ? undefined : sleep(ms);
  }

  /** Whether everything before `position` is applied within `timeoutMs`. */
  async reaches(position: Position, timeoutMs: number): Promise<boolean> {
    if (isAtOrAfter(this.#position, position)) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { position, resolve };
    const timer = setTimeout(resolve, timeoutMs, false);
    this.#waiters.push(waiter);
    this.#endDelay();
    return await promise.finally(() => {
      clearTimeout(timer);
      this.#waiters = this.#waiters.filter((other) => other !== waiter);
    });
  }

  /** Applies the rest of the journal, within `withinMs`. */
  async stop(withinMs: number): Promise<void> {
    const deadline = Promise.withResolvers<void>();
    const timer = setTimeout(deadline.resolve, withinMs);
    this.#stopping = true;
    this.#endDelay();
    this.#endPause();
    await Promise.race([this.#finished, deadline.promise]);
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    let retryMs = MIN_RETRY_MS;
    while (!(this.#stopping && this.isDone)) {
      try {
        await this.#waitForClicks();
        await this.#applyNext();
        retryMs = MIN_RETRY_MS;
      } catch (error) {
        this.#faults += 1;
        this.#deps.results.noteApplyFailed();
        this.#lastFault = error;
        this.#options.onFault(error);
        if (this.#stopping) return;
        await sleepUntil(retryMs, (end) => {
          this.#endPause = end;
        });
        retryMs = Math.min(retryMs * 2, this.#options.maxRetryMs);
      }
    }
  }

  async #waitForClicks(): Promise<void> {
    if (this.#stopping) return;
    if (this.isDone) {
      this.#idle = true;
      await this.#delay(null);
      this.#idle = false;
    }
    if (this.#waiters.length > 0 || this.#stopping) return;
    if (this.#journal.bytesAfter(this.#position) >= this.#maxReadBytes) return;
    await this.#delay(delayMs(this.#appliedInMs));
  }

  async #applyNext(): Promise<void> {
    const startedMs = monotonicMs();
    const from = this.#position;
    const { batches, next, damage, cutBytes } = await this.#journal.read(from, this.#maxReadBytes);
    if (batches.length > 0) await this.#applyOrHalve(batches);
    this.#appliedInMs = monotonicMs() - startedMs;
    if (batches.length > 0) this.#deps.results.noteApplied(this.#appliedInMs);
    if (cutBytes > 0)
      this.#deps.log.warn(
        { segment: from.segment, cutBytes },
        'Skipped an incomplete batch at the end of a journal segment: a crash before its clicks were acknowledged',
      );
    for (const part of damage) this.#reportDamage(from.segment, part);
    this.#faults = 0;
    this.#position = next;
    this.#lag.applied(next);
    this.#options.onApplied?.(next);
    for (const { position, resolve } of this.#waiters) if (isAtOrAfter(next, position)) resolve(true);
    if ((await this.#journal.dropBefore(next)) > 0) await this.#deps.damaged.tidy(this.#deps);
  }

  #reportDamage(segment: number, { offset, bytes, lostRows }: Damage): void {
    this.#deps.results.countLost(lostRows);
    this.#deps.log.error(
      { segment, offset, bytes, lostClicks: lostRows },
      'A journal segment is damaged: acknowledged clicks are lost. It is kept in DATA_DIR as *.damaged; check disk and memory',
    );
  }

  async #applyOrHalve(batches: readonly Buffer[]): Promise<void> {
    try {
      await this.#options.apply(batches, this.#faults);
      this.#maxReadBytes = Math.min(this.#maxReadBytes * 2, this.#options.maxBytes);
    } catch (error) {
      const bytes = batches.reduce((sum, batch) => sum + batch.length, 0);
      this.#maxReadBytes = Math.max(Math.floor(bytes / 2), MIN_READ_BYTES);
      throw error;
    }
  }

  /** Waits for `ms` or `#endDelay`; null waits for the latter alone. */
  async #delay(ms: number | null): Promise<void> {
    await sleepUntil(ms, (end) => {
      this.#endDelay = end;
    });
  }
}

/** Resolves after `ms`, or when the given function is called. @param ms null for the latter alone. */
async function sleepUntil(ms: number | null, onStart: (end: () => void) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  onStart(resolve);
  const timer = ms === null ? undefined : setTimeout(resolve, ms);
  await promise;
  clearTimeout(timer);
}

function delayMs(appliedInMs: number): number {
  return Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, appliedInMs * DELAY_PER_TRANSACTION));
}

function throttleMs(lagMs: number): number {
  const overMs = Math.max(0, lagMs - THROTTLE_FROM_MS);
  return Math.min(MAX_THROTTLE_MS, Math.floor(overMs / LAG_PER_THROTTLE_MS));
}
