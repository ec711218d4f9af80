import { MINUTE_MS, SECOND_MS } from '../platform/clock.ts';
import { holdLease, type Lease, releaseLease } from '../platform/lease.ts';
import { LoopStopped, startLoop } from '../platform/loop.ts';
import { type EraserCtx, eraseBatch, type Progress } from './erase-batch.ts';
import { listPendingErasures } from './queries.ts';

/**
 * Works on erasure requests in batches, in one process at a time. Apps take turns, and a request that fails does not delay
 * others.
 */
export interface Eraser {
  /** A request was committed: it is worked on at once. */
  wake(): void;
  stop(): Promise<void>;
}

const LEASE_MS = MINUTE_MS;
/** Whoever held it a moment ago still does. */
const HOLD_EVERY_MS = 5 * SECOND_MS;
/** Another process is at it, or something failed. */
const LOOK_AGAIN_MS = 2 * SECOND_MS;

const MOST_IN_BATCH = 100;

/** So often in `ERASURE_INTERVAL_SECONDS`: what another process left when it died is done within it, too. */
const LOOKS_IN_INTERVAL = 3;

/** Starts with what an earlier run left, and looks again and again for what another process left. */
export function createEraser(ctx: EraserCtx): Eraser {
  const lease: Lease = { name: 'erasure', holder: ctx.ids.next(), forMs: LEASE_MS };
  let heldAtMs = 0;
  let isStopping = false;
  let isWoken = false;
  let underWay: Promise<void> | null = null;
  let again: NodeJS.Timeout | undefined;
  const lookEveryMs = (ctx.config.erasureIntervalSeconds * SECOND_MS) / LOOKS_IN_INTERVAL;
  const cycle = startLoop('erasure', lookEveryMs, ctx.log, async () => wake());

  function wake(): void {
    isWoken = true;
    underWay ??= workWhileWoken();
  }

  async function workWhileWoken(): Promise<void> {
    while (isWoken && !isStopping) {
      isWoken = false;
      await work().catch((error: unknown) => {
        if (isStopping) return;
        ctx.log.error({ err: error }, 'an erasure was cut short; it goes on where it was');
        lookAgain();
      });
    }
    underWay = null;
  }

  async function work(): Promise<void> {
    const progress: Progress = { servedAtMs: new Map(), failed: new Set() };
    for (;;) {
      const where = { without: [...progress.failed], limit: MOST_IN_BATCH };
      const requests = isStopping ? [] : await listPendingErasures(ctx, where);
      if (requests.length === 0) break;
      if (!(await hold())) return lookAgain();
      await eraseBatch(ctx, requests, { progress, goOn });
    }
    await releaseLease(ctx, lease);
    if (progress.failed.size > 0) lookAgain();
  }

  async function goOn(): Promise<void> {
    if (isStopping) throw new LoopStopped();
    if (ctx.clock.nowMs() - heldAtMs < HOLD_EVERY_MS) return;
    if (!(await hold())) throw new Error('another process has taken the erasure over');
  }

  async function hold(): Promise<boolean> {
    const nowMs = ctx.clock.nowMs();
    const isHeld = await holdLease(ctx, lease);
    if (isHeld) heldAtMs = nowMs;
    return isHeld;
  }

  function lookAgain(): void {
    clearTimeout(again);
    if (!isStopping) again = setTimeout(wake, LOOK_AGAIN_MS).unref();
  }

  wake();
  return {
    wake,
    async stop() {
      isStopping = true;
      clearTimeout(again);
      await cycle.stop();
      await underWay;
      await releaseLease(ctx, lease);
    },
  };
}
