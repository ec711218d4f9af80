import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { isDataFault, parseRows, type RowCounts, type TextRow } from '../platform/db/index.ts';
import { clickCounts } from '../statistics/index.ts';
import { ApplyLag } from './apply-lag.ts';
import { NEW_CLICK_COLUMNS } from './click.ts';
import type { DamagedSegments } from './damaged-segments.ts';
import { toBatch, withoutErased } from './erased-addresses.ts';
import { type Damage, isAtOrAfter, type Journal, type Position } from './journal/index.ts';
import type { RefusedClicks } from './refused-clicks.ts';

/** What an applier works with. */
interface Sources {
  readonly journal: Journal;
  readonly refused: RefusedClicks;
  readonly damaged: DamagedSegments;
  /** Told of clicks that damage of the journal destroyed. */
  readonly onLost: (clicks: number) => void;
}

/** What is read of the journal at once: some 7,000 clicks, tens of milliseconds of the database's time. */
const MAX_READ_BYTES = 2 * 1024 * 1024;
/** After a fault half as much is tried, down to some 50 clicks: a database that is slow ends statements that take long. */
const LEAST_READ_BYTES = 16 * 1024;
/**
 * Larger transactions cost the database less: a page of the address index is written once for all the clicks that touch
 * it. But a small one holds the processors up for less long. So the next one gathers for three times as long as the last
 * one took, unless as much waits as is read at once: large ones where the database has much to do, small ones otherwise.
 * An SDK call that waits cuts it short.
 */
const GATHER_PER_APPLIED = 3;
const LEAST_GATHER_MS = 20;
const MOST_GATHER_MS = 100;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2 * SECOND_MS;
/** The first ones may be a transaction that the database ended for another's sake. */
const FAULTS_UNTIL_UNHEALTHY = 3;
/**
 * From this age of the oldest click on, the journal waits between writes, longer the older it is: whoever acknowledges
 * more than the database takes only borrows. No visitor waits for it longer than `MAX_BRAKE_MS`.
 */
const BRAKE_FROM_MS = 500;
const BEHIND_PER_BRAKE_MS = 10;
const MAX_BRAKE_MS = 50;
/** How long `stop` waits for a database that is slow or away. */
const STOP_WITHIN_MS = 10 * SECOND_MS;

/**
 * Applies the journal to the database, in order, as many batches at once as wait. A click that is there already is
 * left alone and not counted again, so a journal that a crash left is simply applied from its start.
 */
export class ClickApplier {
  readonly #ctx: Ctx;
  readonly #journal: Journal;
  readonly #refused: RefusedClicks;
  readonly #damaged: DamagedSegments;
  readonly #onLost: (clicks: number) => void;
  readonly #counts: RowCounts;
  readonly #lag: ApplyLag;
  #position: Position;
  #stopping = false;
  #finished: Promise<void> = Promise.resolve();
  /** True while there is nothing to apply. */
  #idle = false;
  /** How long the last transaction took. */
  #appliedInMs = 0;
  #maxReadBytes = MAX_READ_BYTES;
  /** Faults since the last success, and the last one of them. */
  #faults = 0;
  #lastFault: unknown;
  #waiters: { position: Position; reached: (yes: boolean) => void }[] = [];
  /** Ends the pause under way. */
  #endPause: () => void = () => undefined;

  constructor(ctx: Ctx, { journal, refused, damaged, onLost }: Sources) {
    this.#ctx = ctx;
    this.#journal = journal;
    this.#refused = refused;
    this.#damaged = damaged;
    this.#onLost = onLost;
    this.#counts = clickCounts(ctx);
    this.#position = journal.start;
    this.#lag = new ApplyLag(ctx.clock);
    if (!this.#isDone()) this.#lag.written(journal.end);
  }

  start(): void {
    this.#finished = this.#run();
  }

  /** Something new is on disk. */
  wake(): void {
    this.#lag.written(this.#journal.end);
    if (this.#idle) this.#endPause();
  }

  /** Everything before it is in the database. */
  get position(): Position {
    return this.#position;
  }

  /** The age of the oldest click that is not in the database. */
  behindMs(): number {
    return this.#lag.ms();
  }

  /** Why clicks are not applied, once several attempts failed; undefined while they are. */
  get fault(): unknown {
    return this.#faults >= FAULTS_UNTIL_UNHEALTHY ? this.#lastFault : undefined;
  }

  /** A little time, where clicks come faster than they are applied; none for the sake of a database that is away. */
  brake(): Promise<void> | undefined {
    const ms = this.#faults === 0 ? brakeMs(this.#lag.ms()) : 0;
    return ms === 0 ? undefined : sleep(ms);
  }

  /** Whether everything before `position` came into the database within `timeoutMs`. */
  async reaches(position: Position, timeoutMs: number): Promise<boolean> {
    if (isAtOrAfter(this.#position, position)) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { position, reached: resolve };
    const timer = setTimeout(resolve, timeoutMs, false);
    this.#waiters.push(waiter);
    this.#endPause();
    return await promise.finally(() => {
      clearTimeout(timer);
      this.#waiters = this.#waiters.filter((other) => other !== waiter);
    });
  }

  async stop(): Promise<void> {
    const within = Promise.withResolvers<void>();
    const timer = setTimeout(within.resolve, STOP_WITHIN_MS);
    this.#stopping = true;
    this.#endPause();
    await Promise.race([this.#finished, within.promise]);
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!(this.#stopping && this.#isDone())) {
      try {
        await this.#gather();
        await this.#applyNext();
        retryMs = FIRST_RETRY_MS;
      } catch (error) {
        this.#faults += 1;
        this.#lastFault = error;
        this.#ctx.log.error(
          { err: error },
          'clicks wait in the journal: they could not be applied, and are tried again',
        );
        if (this.#stopping) return;
        await this.#pause(retryMs);
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
      }
    }
  }

  /** Waits for something to apply, and a little longer for more of it. */
  async #gather(): Promise<void> {
    if (this.#stopping) return;
    if (this.#isDone()) {
      this.#idle = true;
      await this.#pause(null);
      this.#idle = false;
    }
    if (this.#waiters.length > 0 || this.#stopping) return;
    if (this.#journal.bytesAfter(this.#position) >= this.#maxReadBytes) return;
    await this.#pause(gatherMs(this.#appliedInMs));
  }

  #isDone(): boolean {
    return isAtOrAfter(this.#position, this.#journal.end);
  }

  async #applyNext(): Promise<void> {
    const startedMs = monotonicMs();
    const from = this.#position;
    const { batches, next, damage, cutBytes } = await this.#journal.read(from, this.#maxReadBytes);
    const bytes = batches.reduce((sum, batch) => sum + batch.length, 0);
    if (batches.length > 0) await this.#insertOrHalve(batches, bytes);
    this.#appliedInMs = monotonicMs() - startedMs;
    if (cutBytes > 0)
      this.#ctx.log.warn(
        { segment: from.segment, cutBytes },
        'A journal segment ends with an incomplete batch, as a crash leaves it before these clicks are acknowledged',
      );
    for (const part of damage) this.#noteDamage(from.segment, part);
    this.#faults = 0;
    this.#position = next;
    this.#lag.applied(next);
    for (const { position, reached } of this.#waiters) if (isAtOrAfter(next, position)) reached(true);
    if ((await this.#journal.dropBefore(next)) > 0) await this.#damaged.tidy(this.#ctx);
  }

  #noteDamage(segment: number, { offset, bytes, lostRows }: Damage): void {
    this.#onLost(lostRows);
    this.#ctx.log.error(
      { segment, offset, bytes, lostClicks: lostRows },
      'A journal segment is damaged: acknowledged clicks are lost. It is kept in DATA_DIR as *.damaged; check disk and memory',
    );
  }

  async #insertOrHalve(batches: readonly Buffer[], bytes: number): Promise<void> {
    try {
      await this.#insert(batches);
      this.#maxReadBytes = Math.min(this.#maxReadBytes * 2, MAX_READ_BYTES);
    } catch (error) {
      this.#maxReadBytes = Math.max(Math.floor(bytes / 2), LEAST_READ_BYTES);
      throw error;
    }
  }

  async #insert(batches: readonly Buffer[]): Promise<void> {
    try {
      await this.#store(await withoutErased(this.#ctx, batches));
    } catch (error) {
      if (!isDataFault(error)) throw error;
      this.#ctx.log.error(
        { err: error },
        'the database refuses a batch of clicks; they are tried one by one',
      );
      for (const row of batches.flatMap((batch) => parseRows(batch.toString()))) await this.#insertOne(row);
    }
  }

  /** A click that the database will never take is put aside, so that those behind it go on. */
  async #insertOne(row: TextRow): Promise<void> {
    const batch = await withoutErased(this.#ctx, [toBatch([row])]);
    try {
      await this.#store(batch);
    } catch (error) {
      if (!isDataFault(error)) throw error;
      await this.#refused.add(batch);
      const { path } = this.#refused;
      this.#ctx.log.error({ err: error, path }, 'the database refuses a click; it was put aside');
    }
  }

  async #store(batches: readonly Buffer[]): Promise<void> {
    const into = { table: 'clicks', columns: NEW_CLICK_COLUMNS, counts: this.#counts } as const;
    await this.#ctx.store.insertRowTexts(into, batches);
  }

  /** Waits for `ms`, or until somebody ends the pause; null waits for that alone. */
  async #pause(ms: number | null): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    const timer = ms === null ? undefined : setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
  }
}

function gatherMs(appliedInMs: number): number {
  return Math.min(MOST_GATHER_MS, Math.max(LEAST_GATHER_MS, appliedInMs * GATHER_PER_APPLIED));
}

function brakeMs(behindMs: number): number {
  const overMs = Math.max(0, behindMs - BRAKE_FROM_MS);
  return Math.min(MAX_BRAKE_MS, Math.floor(overMs / BEHIND_PER_BRAKE_MS));
}
