import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { type Db, isDataFault, parseRows, type Store, type TextRow } from '../db/index.ts';
import { type Clock, monotonicMs, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Secrets } from '../lib/secrets.ts';
import { clickFacts } from '../stats/index.ts';
import { ApplyLag } from './apply-lag.ts';
import { NEW_CLICK_COLUMNS, toBatch } from './click.ts';
import type { DamagedSegments } from './damaged-segments.ts';
import { withoutErased } from './erased-addresses.ts';
import { type Damage, isAtOrAfter, type Journal, type Position } from './journal/index.ts';
import type { RefusedClicks } from './refused-clicks.ts';
import type { WriteResults } from './write-results.ts';

interface ApplierDeps {
  readonly store: Pick<Store, 'insertRowTexts'>;
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Config;
  readonly secrets: Secrets;
  readonly log: Log;
}

interface ApplierOptions {
  readonly journal: Journal;
  readonly refused: RefusedClicks;
  readonly damaged: DamagedSegments;
  readonly results: WriteResults;
}

/** About 7,000 clicks, tens of milliseconds of database time. */
const MAX_READ_BYTES = 2 * 1024 * 1024;
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
const MAX_RETRY_MS = 2 * SECOND_MS;
/** Fewer faults may be deadlocks or serialization failures. */
const FAULTS_UNTIL_UNHEALTHY = 3;
/**
 * Backpressure: from this lag on, the journal pauses between writes, the longer the larger the lag. A tap waits for at
 * most `MAX_THROTTLE_MS`.
 */
const THROTTLE_FROM_MS = 500;
const LAG_PER_THROTTLE_MS = 10;
const MAX_THROTTLE_MS = 50;
const CLICK_FACTS = clickFacts();
/** Limits how long `stop` waits for the database. */
const STOP_WITHIN_MS = 10 * SECOND_MS;

/**
 * Inserts the journal's clicks into the database, in order. Clicks that exist are skipped and not counted again, so the
 * journal left by a crash is applied from its start.
 */
export class ClickApplier {
  readonly #deps: ApplierDeps;
  readonly #journal: Journal;
  readonly #refused: RefusedClicks;
  readonly #damaged: DamagedSegments;
  readonly #results: WriteResults;
  readonly #lag: ApplyLag;
  #position: Position;
  #stopping = false;
  #finished: Promise<void> = Promise.resolve();
  #idle = false;
  /** Duration of the last transaction. */
  #appliedInMs = 0;
  #maxReadBytes = MAX_READ_BYTES;
  /** Faults since the last success. */
  #faults = 0;
  #lastFault: unknown;
  #waiters: { position: Position; resolve: (reached: boolean) => void }[] = [];
  #endPause: () => void = () => undefined;

  constructor(deps: ApplierDeps, { journal, refused, damaged, results }: ApplierOptions) {
    this.#deps = deps;
    this.#journal = journal;
    this.#refused = refused;
    this.#damaged = damaged;
    this.#results = results;
    this.#position = journal.start;
    this.#lag = new ApplyLag(deps.clock);
    if (!this.#isDone()) this.#lag.written(journal.end);
  }

  start(): void {
    this.#finished = this.#run();
  }

  /** To be called after every write to the journal. */
  wake(): void {
    this.#lag.written(this.#journal.end);
    if (this.#idle) this.#endPause();
  }

  /** Everything before this position is in the database. */
  get position(): Position {
    return this.#position;
  }

  /** The age of the oldest click that is not in the database. */
  get lagMs(): number {
    return this.#lag.ms();
  }

  /** The last fault after several failed attempts; undefined while clicks are applied. */
  get fault(): unknown {
    return this.#faults >= FAULTS_UNTIL_UNHEALTHY ? this.#lastFault : undefined;
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
    this.#endPause();
    return await promise.finally(() => {
      clearTimeout(timer);
      this.#waiters = this.#waiters.filter((other) => other !== waiter);
    });
  }

  /** Applies the rest of the journal, within `STOP_WITHIN_MS`. */
  async stop(): Promise<void> {
    const deadline = Promise.withResolvers<void>();
    const timer = setTimeout(deadline.resolve, STOP_WITHIN_MS);
    this.#stopping = true;
    this.#endPause();
    await Promise.race([this.#finished, deadline.promise]);
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    let retryMs = MIN_RETRY_MS;
    while (!(this.#stopping && this.#isDone())) {
      try {
        await this.#waitForClicks();
        await this.#applyNext();
        retryMs = MIN_RETRY_MS;
      } catch (error) {
        this.#faults += 1;
        this.#lastFault = error;
        this.#deps.log.error({ err: error }, 'Failed to apply clicks of the journal; will retry');
        if (this.#stopping) return;
        await this.#pause(retryMs);
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      }
    }
  }

  async #waitForClicks(): Promise<void> {
    if (this.#stopping) return;
    if (this.#isDone()) {
      this.#idle = true;
      await this.#pause(null);
      this.#idle = false;
    }
    if (this.#waiters.length > 0 || this.#stopping) return;
    if (this.#journal.bytesAfter(this.#position) >= this.#maxReadBytes) return;
    await this.#pause(delayMs(this.#appliedInMs));
  }

  #isDone(): boolean {
    return isAtOrAfter(this.#position, this.#journal.end);
  }

  async #applyNext(): Promise<void> {
    const startedMs = monotonicMs();
    const from = this.#position;
    const { batches, next, damage, cutBytes } = await this.#journal.read(from, this.#maxReadBytes);
    if (batches.length > 0) await this.#insertOrHalve(batches);
    this.#appliedInMs = monotonicMs() - startedMs;
    if (cutBytes > 0)
      this.#deps.log.warn(
        { segment: from.segment, cutBytes },
        'Skipped an incomplete batch at the end of a journal segment: a crash before its clicks were acknowledged',
      );
    for (const part of damage) this.#reportDamage(from.segment, part);
    this.#faults = 0;
    this.#position = next;
    this.#lag.applied(next);
    for (const { position, resolve } of this.#waiters) if (isAtOrAfter(next, position)) resolve(true);
    if ((await this.#journal.dropBefore(next)) > 0) await this.#damaged.tidy(this.#deps);
  }

  #reportDamage(segment: number, { offset, bytes, lostRows }: Damage): void {
    this.#results.countLost(lostRows);
    this.#deps.log.error(
      { segment, offset, bytes, lostClicks: lostRows },
      'A journal segment is damaged: acknowledged clicks are lost. It is kept in DATA_DIR as *.damaged; check disk and memory',
    );
  }

  async #insertOrHalve(batches: readonly Buffer[]): Promise<void> {
    try {
      await this.#insert(batches);
      this.#maxReadBytes = Math.min(this.#maxReadBytes * 2, MAX_READ_BYTES);
    } catch (error) {
      const bytes = batches.reduce((sum, batch) => sum + batch.length, 0);
      this.#maxReadBytes = Math.max(Math.floor(bytes / 2), MIN_READ_BYTES);
      throw error;
    }
  }

  async #insert(batches: readonly Buffer[]): Promise<void> {
    try {
      await this.#store(await withoutErased(this.#deps, batches));
    } catch (error) {
      if (!isDataFault(error)) throw error;
      this.#deps.log.error(
        { err: error },
        'The database rejected a batch of clicks; inserting them one by one',
      );
      for (const row of batches.flatMap((batch) => parseRows(batch.toString()))) await this.#insertOne(row);
    }
  }

  /** A click that the database rejects for its data must not block those after it. */
  async #insertOne(row: TextRow): Promise<void> {
    const batch = await withoutErased(this.#deps, [toBatch([row])]);
    try {
      await this.#store(batch);
    } catch (error) {
      if (!isDataFault(error)) throw error;
      await this.#refused.add(batch);
      const { path } = this.#refused;
      this.#deps.log.error({ err: error, path }, 'The database rejected a click; it was moved to a file');
    }
  }

  async #store(batches: readonly Buffer[]): Promise<void> {
    const into = { table: 'clicks', columns: NEW_CLICK_COLUMNS, counts: CLICK_FACTS } as const;
    await this.#deps.store.insertRowTexts(into, batches);
  }

  /** Waits for `ms` or `#endPause`; null waits for the latter alone. */
  async #pause(ms: number | null): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    const timer = ms === null ? undefined : setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
  }
}

function delayMs(appliedInMs: number): number {
  return Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, appliedInMs * DELAY_PER_TRANSACTION));
}

function throttleMs(lagMs: number): number {
  const overMs = Math.max(0, lagMs - THROTTLE_FROM_MS);
  return Math.min(MAX_THROTTLE_MS, Math.floor(overMs / LAG_PER_THROTTLE_MS));
}
