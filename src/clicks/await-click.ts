import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { uuidTimeMs } from '../platform/ids.ts';
import { findClick } from './queries.ts';

/** Another process may have recorded a click this fresh without having applied it yet. */
const FRESH_CLICK_MS = 30 * SECOND_MS;
const LOOK_AGAIN_FOR_MS = 2 * SECOND_MS;
const LOOK_AGAIN_EVERY_MS = 100;

/** Gives another process the time to apply a click that somebody names and that is only seconds old. */
export async function awaitFreshClick(ctx: Ctx, appId: string, clickId: string): Promise<void> {
  if (!ctx.store.isShared || !isFresh(clickId, ctx.clock.nowMs())) return;
  const untilMs = monotonicMs() + LOOK_AGAIN_FOR_MS;
  while ((await findClick(ctx.db, appId, clickId)) === undefined && monotonicMs() < untilMs)
    await sleep(LOOK_AGAIN_EVERY_MS);
}

function isFresh(clickId: string, nowMs: number): boolean {
  const madeAtMs = uuidTimeMs(clickId);
  return madeAtMs !== null && Math.abs(nowMs - madeAtMs) <= FRESH_CLICK_MS;
}
