import { MINUTE_MS, monotonicMs, SECOND_MS } from '../platform/clock.ts';
import { isUnavailable } from '../platform/db/index.ts';
import { holdLease, type Lease, releaseLease } from '../platform/lease.ts';
import { type GoOn, LoopStopped, startLoop } from '../platform/loop.ts';
import { completeErasures, type EraserCtx, erasePerson } from './erase-person.ts';
import { type ErasureRequest, listPendingErasures } from './queries.ts';

/** Works on erasure requests, one after the other, in one process at a time. One that fails holds up no other. */
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

/**
 * Requests are erased one by one and completed together, at most so many and after about so long: to scrub the files of a
 * database may mean to read them whole.
 */
const COMPLETED_AT_ONCE = 100;
const COMPLETED_AFTER_MS = 5 * SECOND_MS;

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
    let failed: ErasureRequest | null = null;
    for (;;) {
      const where = { after: failed, limit: COMPLETED_AT_ONCE };
      const requests = isStopping ? [] : await listPendingErasures(ctx.db, where);
      if (requests.length === 0) break;
      if (!(await hold())) return lookAgain();
      const done = await eraseSome(ctx, requests, goOn);
      await completeErasures(ctx, done.erased, goOn);
      failed = done.failed ?? failed;
    }
    await releaseLease(ctx, lease);
    if (failed !== null) lookAgain();
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

/** Erases one after the other, for a while; gives those that are erased, and the last one that failed. */
async function eraseSome(
  ctx: EraserCtx,
  requests: readonly ErasureRequest[],
  goOn: GoOn,
): Promise<{ erased: ErasureRequest[]; failed: ErasureRequest | null }> {
  // Whoever was recording something when they were asked for has stored it: it is found.
  if (requests.some((request) => request.ways_found_at === null)) await ctx.journalFlushes.flushAll(goOn);
  const untilMs = monotonicMs() + COMPLETED_AFTER_MS;
  const erased: ErasureRequest[] = [];
  let failed: ErasureRequest | null = null;
  for (const request of requests) {
    if (monotonicMs() > untilMs) break;
    try {
      await erasePerson(ctx, request, goOn);
      erased.push(request);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      await goOn();
      ctx.log.error({ err: error, requestId: request.id }, 'an erasure failed; it is tried again');
      failed = request;
    }
  }
  return { erased, failed };
}
