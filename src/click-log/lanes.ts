import { readdir } from 'node:fs/promises';
import { SECOND_MS } from '../lib/clock.ts';
import { type Heartbeat, type Loop, startLoop } from '../lib/loop.ts';
import type { ApplierDeps } from './apply-journal.ts';
import { Journal, type JournalLimits, segmentFile } from './journal/index.ts';
import { Lane } from './lane.ts';
import { Places } from './places.ts';
import type { StoreClicks } from './store-clicks.ts';

/** Each has up to three open files. Further apps stay in the main journal. */
const MAX_LANES = 128;
const CHECK_EVERY_MS = SECOND_MS;
/**
 * Transactions of lanes at once, so that connections of PostgreSQL are left to calls. Those of failing lanes may wait for
 * a node that is away, and have places of their own.
 */
const MAX_STORING = 2;
const MAX_FAILING = 2;

/** Other apps wait so long for a flooded lane, at a flush. */
const FLUSH_ROUNDS = 6;
const FLUSH_ROUND_MS = 5 * SECOND_MS;

interface LanesOptions {
  readonly directory: string;
  readonly limits: JournalLimits;
  readonly store: StoreClicks;
  /** See `Journal.freeBytes`. */
  readonly freeBytes: () => number;
}

/** The lanes of apps whose clicks are applied apart from the others. */
export class Lanes {
  readonly #deps: ApplierDeps;
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #opening = new Map<string, Promise<Lane>>();
  readonly #ending = new Map<string, Promise<void>>();
  readonly #storing = new Places(MAX_STORING);
  readonly #failing = new Places(MAX_FAILING);
  readonly #checks: Loop;

  private constructor(deps: ApplierDeps, options: LanesOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#checks = startLoop('lanes of clicks', CHECK_EVERY_MS, deps.log, () => this.#endThoseOver());
  }

  /** Opens the lanes that an earlier process left. */
  static async open(deps: ApplierDeps, options: LanesOptions): Promise<Lanes> {
    const lanes = new Lanes(deps, options);
    const files = (await readdir(options.directory)).map(segmentFile);
    const appIds = files.flatMap((file) =>
      file === null || file.isDamaged || file.appId === null ? [] : file.appId,
    );
    for (const appId of new Set(appIds)) await lanes.#open(appId);
    return lanes;
  }

  get all(): Iterable<Lane> {
    return this.#lanes.values();
  }

  get count(): number {
    return this.#lanes.size;
  }

  get bytesOnDisk(): number {
    let bytes = 0;
    for (const { journal } of this.all) bytes += journal.bytesOnDisk;
    return bytes;
  }

  get(appId: string): Lane | undefined {
    return this.#lanes.get(appId);
  }

  /** Apps whose clicks cannot be stored now. */
  get failing(): string[] {
    return [...this.all].filter(({ applier }) => applier.isFailing).map(({ appId }) => appId);
  }

  /** The lane of an app, which gets one unless there are too many. Rows may be added to it in the same turn only. */
  async separate(appId: string): Promise<Lane | null> {
    await this.#ending.get(appId);
    const existing = this.#lanes.get(appId);
    if (existing !== undefined) return existing;
    return this.#lanes.size + this.#opening.size < MAX_LANES ? await this.#open(appId) : null;
  }

  /** Ends the current segments, so that all rows so far can be dropped. */
  async rotate(): Promise<void> {
    await Promise.all(
      [...this.all].map(async ({ journal, applier }) => {
        await journal.rotate();
        applier.wake();
      }),
    );
  }

  /**
   * Stores all clicks recorded so far, and removes them from the journals.
   * @returns the apps whose clicks cannot be stored now, or not in time.
   */
  async flush(goOn: Heartbeat): Promise<readonly string[]> {
    await this.rotate();
    let open = [...this.all].map((lane) => ({ lane, end: lane.journal.end }));
    for (let round = 0; open.length > 0 && round < FLUSH_ROUNDS; round++) {
      const reached = await Promise.all(
        open.map(({ lane: { applier }, end }) =>
          applier.reaches(end, applier.fault === undefined ? FLUSH_ROUND_MS : 0),
        ),
      );
      // Throws if an applied segment cannot be removed.
      for (const { lane } of open) await lane.journal.dropBefore(lane.applier.position);
      open = open.filter((_, index) => reached[index] !== true);
      if (open.every(({ lane }) => lane.applier.isFailing)) break;
      await goOn();
    }
    return open.map(({ lane }) => lane.appId);
  }

  /** Writes and applies pending clicks, within `withinMs`. */
  async close(withinMs: number): Promise<void> {
    await this.#checks.stop();
    await Promise.all([...this.#opening.values()]);
    await Promise.all(
      [...this.all].map(async ({ journal, applier }) => {
        await journal.close();
        await applier.stop(withinMs);
      }),
    );
  }

  async #open(appId: string): Promise<Lane> {
    const opening = this.#opening.get(appId) ?? this.#create(appId);
    this.#opening.set(appId, opening);
    return await opening.finally(() => this.#opening.delete(appId));
  }

  async #create(appId: string): Promise<Lane> {
    const { directory, limits, freeBytes } = this.#options;
    const journal = await Journal.open(directory, limits, appId);
    journal.freeBytes = freeBytes;
    journal.onTimed = (ms) => this.#deps.results.noteWrite(ms);
    const lane = new Lane(this.#deps, { appId, journal, apply: (...args) => this.#apply(...args) });
    this.#lanes.set(appId, lane);
    return lane;
  }

  async #apply(batches: readonly Buffer[], isFailing: boolean): Promise<void> {
    await (isFailing ? this.#failing : this.#storing).during(() => this.#options.store(batches));
  }

  async #endThoseOver(): Promise<void> {
    for (const lane of [...this.all]) {
      if (!lane.isOver) continue;
      const ended = this.#end(lane);
      this.#ending.set(lane.appId, ended);
      await ended.finally(() => this.#ending.delete(lane.appId));
    }
  }

  /** Ends a lane when all its clicks are stored. New clicks go to the main journal from the start. */
  async #end(lane: Lane): Promise<void> {
    const { appId, journal, applier } = lane;
    lane.takesClicks = false;
    await journal.close();
    applier.wake();
    if (await applier.reaches(journal.end, CHECK_EVERY_MS)) {
      await applier.stop(CHECK_EVERY_MS);
      await journal.dropBefore(applier.position);
      this.#lanes.delete(appId);
    } else lane.takesClicks = true;
  }
}
