import { holdLease, type Lease, releaseLease } from '../db/index.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import { LoopStopped, startLoop } from '../lib/loop.ts';
import { type EraserDeps, eraseBatch, type Progress } from './erase-batch.ts';
import { listPendingErasures } from './queries.ts';

/** Processes erasure requests in batches, in one process at a time. A failed request does not delay others. */
export interface Eraser {
  /** Called after a request was committed. */
  wake(): void;
  stop(): Promise<void>;
}

const LEASE_MS = MINUTE_MS;
/** `goOn` is called more often. */
const RENEW_LEASE_EVERY_MS = 5 * SECOND_MS;
/** After a failure, or while another process has the lease. Doubles while the database or a node of it is away. */
const RETRY_MS = 2 * SECOND_MS;
const MAX_RETRY_MS = 30 * SECOND_MS;

const MAX_BATCH = 100;
const AWAY = 'A node of the cluster is away: erasures of its apps wait for it, those of other apps go on';

/** Checks per `ERASURE_INTERVAL_SECONDS`, so that requests of a dead process complete within the interval. */
const CHECKS_PER_INTERVAL = 3;

/** Starts with pending requests of earlier runs, and checks periodically for those of dead processes. */
export function createEraser(deps: EraserDeps): Eraser {
  const lease: Lease = { name: 'erasure', holder: deps.ids.next(), forMs: LEASE_MS };
  let heldAtMs = 0;
  let isStopping = false;
  let isWoken = false;
  let running: Promise<void> | null = null;
  const retry = new Retry(() => wake());
  const checkEveryMs = (deps.config.erasureIntervalSeconds * SECOND_MS) / CHECKS_PER_INTERVAL;
  const checks = startLoop('erasure', checkEveryMs, deps.log, async () => {
    if (!retry.isPending) wake();
  });

  function wake(): void {
    retry.cancel();
    isWoken = true;
    running ??= workWhileWoken();
  }

  async function workWhileWoken(): Promise<void> {
    while (isWoken && !isStopping) {
      isWoken = false;
      await work().catch((error: unknown) => {
        if (isStopping) return;
        deps.log.error({ err: error }, 'Erasure interrupted; will retry');
        retry.later();
      });
    }
    running = null;
  }

  async function work(): Promise<void> {
    const progress: Progress = { servedAtMs: new Map(), failed: new Set(), away: null };
    while (!isStopping) {
      const where = { without: [...progress.failed], limit: MAX_BATCH };
      const { requests, away } = await listPendingErasures(deps.db, where);
      progress.away ??= away;
      if (requests.length === 0) break;
      if (!(await renewLease())) return retry.soon();
      await eraseBatch(deps, requests, { progress, goOn });
    }
    await releaseLease(deps, lease);
    if (progress.away !== null && retry.failures === 0) deps.log.warn({ err: progress.away }, AWAY);
    if (progress.away !== null) return retry.later();
    retry.failures = 0;
    if (progress.failed.size > 0) retry.soon();
  }

  async function goOn(): Promise<void> {
    if (isStopping) throw new LoopStopped();
    if (deps.clock.nowMs() - heldAtMs < RENEW_LEASE_EVERY_MS) return;
    if (!(await renewLease())) throw new Error('Another process has taken over the erasure');
  }

  async function renewLease(): Promise<boolean> {
    const nowMs = deps.clock.nowMs();
    const isHeld = await holdLease(deps, lease);
    if (isHeld) heldAtMs = nowMs;
    return isHeld;
  }

  wake();
  return {
    wake,
    async stop() {
      isStopping = true;
      await checks.stop();
      await running;
      retry.cancel();
      await releaseLease(deps, lease);
    },
  };
}

/** Calls again after a failure, later with each further one. */
class Retry {
  readonly #wake: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** In a row. */
  failures = 0;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  get isPending(): boolean {
    return this.#timer !== undefined;
  }

  soon(afterMs = RETRY_MS): void {
    this.cancel();
    this.#timer = setTimeout(this.#wake, afterMs).unref();
  }

  later(): void {
    this.soon(Math.min(RETRY_MS * 2 ** this.failures, MAX_RETRY_MS));
    this.failures += 1;
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
