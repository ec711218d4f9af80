import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { isDataFault, type RowCounts } from '../platform/db/index.ts';
import { clickCounts } from '../reports/index.ts';
import { NEW_CLICK_COLUMNS } from './click.ts';
import { withoutErased } from './erased-addresses.ts';
import type { Journal, Position } from './journal/index.ts';

/** What is read of the journal at once: some 3,000 clicks, tens of milliseconds of the database's time. */
const MAX_READ_BYTES = 2 * 1024 * 1024;
/**
 * Larger batches cost the database less: a page of the address index is written once for all the clicks that touch it.
 * So under load the next batch gathers for longer. An SDK call that waits cuts it short.
 */
const GATHER_MS = 20;
const GATHER_UNDER_LOAD_MS = 200;
/** A batch this long means load: some 100 clicks. */
const LOAD_BYTES = 64 * 1024;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2 * SECOND_MS;
/** How long `stop` waits for a database that is slow or away. */
const STOP_WITHIN_MS = 10 * SECOND_MS;

/**
 * Applies the journal to the database, in order, in the largest batches that wait. A click that is there already is
 * left alone and not counted again, so a journal that a crash left is simply applied from its start.
 */
export class ClickApplier {
  readonly #ctx: Ctx;
  readonly #journal: Journal;
  readonly #directory: string;
  readonly #counts: RowCounts;
  #position: Position;
  #stopping = false;
  #finished: Promise<void> = Promise.resolve();
  /** True while there is nothing to apply. */
  #idle = false;
  #underLoad = false;
  #waiters: { place: Position; reached: (yes: boolean) => void }[] = [];
  /** Ends the pause under way. */
  #endPause: () => void = () => undefined;

  constructor(ctx: Ctx, journal: Journal, directory: string) {
    this.#ctx = ctx;
    this.#journal = journal;
    this.#directory = directory;
    this.#counts = clickCounts(ctx);
    this.#position = journal.start;
  }

  start(): void {
    this.#finished = this.#run();
  }

  /** Something new is on disk. */
  wake(): void {
    if (this.#idle) this.#endPause();
  }

  /** Whether everything before `place` came into the database within `timeoutMs`. */
  async reaches(place: Position, timeoutMs: number): Promise<boolean> {
    if (isAtOrAfter(this.#position, place)) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { place, reached: resolve };
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
    await this.#pause(this.#underLoad ? GATHER_UNDER_LOAD_MS : GATHER_MS);
  }

  #isDone(): boolean {
    return isAtOrAfter(this.#position, this.#journal.end);
  }

  async #applyNext(): Promise<void> {
    const { jsonArrays, next, skippedBytes } = await this.#journal.read(this.#position, MAX_READ_BYTES);
    if (jsonArrays.length > 0) await this.#insert(jsonArrays);
    this.#underLoad = jsonArrays.reduce((sum, json) => sum + json.length, 0) > LOAD_BYTES;
    if (skippedBytes > 0)
      this.#ctx.log.warn(
        { skippedBytes },
        'the end of a journal segment was cut by a crash, before it was acknowledged',
      );
    this.#position = next;
    await this.#journal.dropBefore(next);
    for (const { place, reached } of this.#waiters) if (isAtOrAfter(next, place)) reached(true);
  }

  async #insert(jsonArrays: string[]): Promise<void> {
    try {
      await this.#store(await withoutErased(this.#ctx, jsonArrays));
    } catch (error) {
      if (!isDataFault(error)) throw error;
      this.#ctx.log.error(
        { err: error },
        'the database refuses a batch of clicks; they are tried one by one',
      );
      for (const row of jsonArrays.flatMap((json) => JSON.parse(json) as unknown[]))
        await this.#insertOne(row);
    }
  }

  /** A click that the database will never take is put aside, so that those behind it go on. */
  async #insertOne(row: unknown): Promise<void> {
    const [json = '[]'] = await withoutErased(this.#ctx, [JSON.stringify([row])]);
    try {
      await this.#store([json]);
    } catch (error) {
      if (!isDataFault(error)) throw error;
      const path = refusedFile(this.#directory);
      await appendFile(path, `${json.slice(1, -1)}\n`, { mode: 0o600, flush: true });
      this.#ctx.log.error({ err: error, path }, 'the database refuses a click; it was put aside');
    }
  }

  async #store(rows: readonly string[]): Promise<void> {
    const into = { table: 'clicks', columns: NEW_CLICK_COLUMNS, counts: this.#counts } as const;
    await this.#ctx.store.insertJsonRows(into, rows);
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

/** Clicks that the database will never take, one JSON array a line. */
export function refusedFile(directory: string): string {
  return join(directory, 'refused.ndjson');
}

function isAtOrAfter(a: Position, b: Position): boolean {
  return a.segment > b.segment || (a.segment === b.segment && a.offset >= b.offset);
}
