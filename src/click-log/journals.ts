import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { monotonicMs, SECOND_MS } from '../lib/clock.ts';
import type { Heartbeat } from '../lib/loop.ts';
import { type ApplierDeps, JournalApplier } from './apply-journal.ts';
import { createApplyTogether, MAX_READ_BYTES } from './apply-together.ts';
import { Journal, type JournalLimits, type Position } from './journal/index.ts';
import { Lanes } from './lanes.ts';
import { PendingApps } from './pending-apps.ts';
import type { StoreClicks } from './store-clicks.ts';

const MAX_RETRY_MS = 2 * SECOND_MS;
const FLUSH_ROUND_MS = 5 * SECOND_MS;

interface JournalsOptions {
  readonly directory: string;
  readonly limits: JournalLimits;
  readonly store: StoreClicks;
}

/** The main journal, which all apps share, and the lanes of those that are stored apart. */
export class Journals {
  readonly main: Journal;
  readonly lanes: Lanes;
  readonly #applier: JournalApplier;
  readonly #pending: PendingApps;
  readonly #log: ApplierDeps['log'];

  private constructor(
    deps: ApplierDeps & { readonly db: Db },
    {
      main,
      lanes,
      store,
      freeBytes,
    }: {
      main: Journal;
      lanes: Lanes;
      store: StoreClicks;
      freeBytes: () => number;
    },
  ) {
    this.main = main;
    this.lanes = lanes;
    this.#log = deps.log;
    const pending = new PendingApps(main);
    this.#pending = pending;
    const applier: JournalApplier = new JournalApplier(deps, {
      ...{ journal: main, maxBytes: MAX_READ_BYTES, maxRetryMs: MAX_RETRY_MS },
      apply: createApplyTogether({
        ...{ db: deps.db, journal: main, lanes, pending, store },
        position: () => applier.position,
      }),
      onFault: (error) => deps.log.error({ err: error }, 'Failed to apply clicks of the journal; will retry'),
      onApplied: (position) => pending.applied(position),
    });
    this.#applier = applier;
    main.freeBytes = freeBytes;
    main.throttle = () => applier.throttle();
    main.onTimed = (ms) => deps.results.noteWrite(ms);
    main.onWritten = (bytes) => {
      pending.written(bytes, main.end);
      applier.wake();
    };
    applier.start();
  }

  /** Opens the journals of a directory, and starts to apply them. */
  static async open(
    deps: ApplierDeps & { readonly db: Db },
    { directory, limits, store }: JournalsOptions,
  ): Promise<Journals> {
    const main = await Journal.open(directory, limits);
    const freeBytes = () => limits.maxBytes - main.bytesOnDisk - lanes.bytesOnDisk;
    const lanes = await Lanes.open(deps, { directory, limits, store, freeBytes });
    return new Journals(deps, { main, lanes, store, freeBytes });
  }

  /** See `Journal.append`. */
  append(row: string, appId: string): Promise<void> {
    const lane = this.lanes.get(appId);
    return (lane?.takesClicks === true ? lane.journal : this.main).append(row, appId);
  }

  get bytesOnDisk(): number {
    return this.main.bytesOnDisk + this.lanes.bytesOnDisk;
  }

  /** The age of the oldest click that is not in the database. */
  get lagMs(): number {
    return Math.max(this.#applier.lagMs, ...[...this.lanes.all].map(({ applier }) => applier.lagMs));
  }

  /** The last fault that affects all apps, after several failed attempts. */
  get fault(): unknown {
    return this.#applier.fault;
  }

  /**
   * Resolves when the rows of an app that are on disk are in the database. @param appId null for all apps.
   * @throws AppError `clicks.behind` after `withinMs`.
   */
  async applied(appId: string | null, withinMs: number): Promise<void> {
    const untilMs = monotonicMs() + withinMs;
    const wait = async (applier: JournalApplier, end: Position) => {
      if (!(await applier.reaches(end, untilMs - monotonicMs()))) throw new AppError('clicks.behind');
    };
    const end = appId === null ? this.main.end : this.#pending.endOf(appId);
    if (end !== null) await wait(this.#applier, end);
    // Afterwards, since rows of the main journal may have been moved to a lane.
    const lanes = appId === null ? [...this.lanes.all] : [this.lanes.get(appId) ?? []].flat();
    await Promise.all(lanes.map(({ applier, journal }) => wait(applier, journal.end)));
  }

  /** Ends the current segments, so that all rows so far can be dropped. */
  async rotate(): Promise<void> {
    await this.main.rotate();
    this.#applier.wake();
    await this.lanes.rotate();
  }

  /** See `ClickLog.flush`. */
  async flush(goOn: Heartbeat): Promise<readonly string[]> {
    await this.main.rotate();
    while (!(await this.#applier.reaches(this.main.end, FLUSH_ROUND_MS))) {
      this.#log.info('Waiting for clicks to be applied');
      await goOn();
    }
    // Throws if an applied segment cannot be removed.
    await this.main.dropBefore(this.#applier.position);
    return await this.lanes.flush(goOn);
  }

  /** Writes and applies pending rows, within `withinMs`. */
  async close(withinMs: number): Promise<void> {
    const untilMs = monotonicMs() + withinMs;
    await this.main.close();
    await this.#applier.stop(withinMs);
    await this.lanes.close(Math.max(0, untilMs - monotonicMs()));
  }
}
