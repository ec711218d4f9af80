import { MINUTE_MS, monotonicMs, SECOND_MS } from '../lib/clock.ts';
import { type ApplierDeps, JournalApplier } from './apply-journal.ts';
import type { Journal } from './journal/index.ts';

/** Small enough that the transactions of other apps do not wait long between two of a lane. */
const MAX_READ_BYTES = 512 * 1024;
const MAX_RETRY_MS = 5 * SECOND_MS;
const LOG_EVERY_MS = MINUTE_MS;
/** A lane that keeps up ends after this time. */
const ENDS_AFTER_MS = 10 * SECOND_MS;
const KEEPS_UP_MS = 500;

/**
 * The journal of one app, applied apart from the others, while its clicks cannot be stored or would crowd out those of
 * other apps.
 */
export class Lane {
  readonly appId: string;
  readonly journal: Journal;
  readonly applier: JournalApplier;
  /** Whether new clicks go here rather than to the main journal. */
  takesClicks = true;
  readonly #log: ApplierDeps['log'];
  #faults = 0;
  #failingSinceMs: number | null = null;
  #loggedAtMs = 0;
  #troubledAtMs = monotonicMs();

  constructor(
    deps: ApplierDeps,
    { appId, journal, apply }: { appId: string; journal: Journal; apply: Lane['apply'] },
  ) {
    this.appId = appId;
    this.journal = journal;
    this.apply = apply;
    this.#log = deps.log;
    this.applier = new JournalApplier(deps, {
      journal,
      apply: (batches) => this.apply(batches, this.applier.isFailing),
      maxBytes: MAX_READ_BYTES,
      maxRetryMs: MAX_RETRY_MS,
      onFault: (error) => this.#reportFault(error),
      onApplied: () => this.#reportEnd(),
    });
    journal.onWritten = () => this.applier.wake();
    journal.throttle = () => this.applier.throttle();
    this.applier.start();
  }

  /** Stores batches; `isFailing` if the last attempt failed. */
  readonly apply: (batches: readonly Buffer[], isFailing: boolean) => Promise<void>;

  /** Whether the app's clicks can go to the main journal again. */
  get isOver(): boolean {
    const { applier } = this;
    if (applier.isFailing || applier.lagMs > KEEPS_UP_MS) this.#troubledAtMs = monotonicMs();
    return monotonicMs() - this.#troubledAtMs >= ENDS_AFTER_MS;
  }

  /** A line at the begin of an outage of this app and one a minute, with the number of attempts. */
  #reportFault(error: unknown): void {
    const nowMs = monotonicMs();
    this.#faults += 1;
    this.#failingSinceMs ??= nowMs;
    if (this.#faults > 1 && nowMs - this.#loggedAtMs < LOG_EVERY_MS) return;
    this.#loggedAtMs = nowMs;
    const bytes = this.journal.bytesOnDisk;
    this.#log.error(
      { err: error, appId: this.appId, attempts: this.#faults, bytes },
      'Clicks of an app cannot be stored and wait in DATA_DIR; will retry. Other apps are not affected',
    );
  }

  #reportEnd(): void {
    if (this.#failingSinceMs === null) return;
    const seconds = Math.round((monotonicMs() - this.#failingSinceMs) / SECOND_MS);
    this.#log.info(
      { appId: this.appId, attempts: this.#faults, seconds },
      'Clicks of an app are stored again',
    );
    this.#failingSinceMs = null;
    this.#faults = 0;
  }
}
