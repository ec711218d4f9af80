import { listApps } from '../apps/index.ts';
import { dropOldClicks, dropOldDays, dropOldMarks, makeRoomForClicks } from '../clicks/index.ts';
import { DAY_MS, HOUR_MS, isoTime, MINUTE_MS, startOfDay } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { holdLease, type Lease, releaseLease } from '../platform/lease.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import { dropOldPostbacks, NO_APP, UNVERIFIED_KEPT_DAYS } from '../skan/index.ts';
import { dropOldDeliveries } from '../webhooks/index.ts';

/** So few that nobody waits for it. */
const DROPPED_AT_ONCE = 1_000;

/** Drops, every hour and in one process at a time, what has been kept for as long as it may be. */
export function startRetention(ctx: Ctx): Loop {
  const lease: Lease = { name: 'retention', holder: ctx.ids.next(), forMs: 5 * MINUTE_MS };
  const work = async () => {
    await makeRoomForClicks(ctx);
    await dropOld(ctx, () => holdLease(ctx, lease));
    await releaseLease(ctx, lease);
  };
  // Soon, for whoever starts it anew every hour.
  return startLoop('retention', HOUR_MS, ctx.log, work, MINUTE_MS);
}

/**
 * Drops all of it: clicks by whole days, deliveries and postbacks by their time.
 * @param goOn asked before each transaction; false where another process does it.
 */
export async function dropOld(ctx: Ctx, goOn: () => Promise<boolean> = async () => true): Promise<void> {
  const { clickRetentionDays, webhookRetentionDays } = ctx.config;
  const clicksBeforeMs = startOfDay(ctx.clock.nowMs() - clickRetentionDays * DAY_MS);
  const deliveriesBeforeMs = ctx.clock.nowMs() - webhookRetentionDays * DAY_MS;
  const postbacksBeforeMs = ctx.clock.nowMs() - UNVERIFIED_KEPT_DAYS * DAY_MS;
  if (!(await goOn())) return;
  await dropOldDays(ctx, clicksBeforeMs);
  const apps = await listApps(ctx.db);
  for (const id of [...apps.map((app) => app.id), NO_APP]) {
    const steps = [
      () => dropOldClicks(ctx, id, { beforeMs: clicksBeforeMs, limit: DROPPED_AT_ONCE }),
      () => dropOldDeliveries(ctx, id, { beforeMs: deliveriesBeforeMs, limit: DROPPED_AT_ONCE }),
      () => dropOldPostbacks(ctx, id, { beforeMs: postbacksBeforeMs, limit: DROPPED_AT_ONCE }),
    ];
    for (const step of steps)
      do {
        if (!(await goOn())) return;
      } while ((await step()) > 0);
  }
  await dropOldMarks(ctx, isoTime(clicksBeforeMs));
}
