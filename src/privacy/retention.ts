import { listApps } from '../apps/index.ts';
import { CHANGES_KEPT_DAYS, deleteOldChanges } from '../audit/index.ts';
import { dropOldClicks, dropOldJournals, dropOldTombstones } from '../clicks/index.ts';
import { dropOldEvents } from '../events/index.ts';
import { DAY_MS, dayOf, HOUR_MS, isoTime, MINUTE_MS, monotonicMs } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Ctx } from '../platform/ctx.ts';
import { dropForEachApp, endOfOld, type ForEachApp } from '../platform/drop-old.ts';
import { deleteOldAnswers } from '../platform/http/idempotency.ts';
import { holdLease, type Lease, releaseLease } from '../platform/lease.ts';
import { type GoOn, type Loop, LoopStopped, startLoop } from '../platform/loop.ts';
import { makePartitionsAhead } from '../platform/make-partitions.ts';
import { dropOldPostbacks, NO_APP, UNPROVEN_KEPT_DAYS } from '../skan/index.ts';
import { deleteOldUsage } from '../statistics/index.ts';
import { dropOldDeliveries, forgetFormerSecrets } from '../webhooks/index.ts';
import { createRetentionClock } from './retention-clock.ts';

/** So few that nobody waits for it. */
const DROPPED_AT_ONCE = 1_000;

/**
 * Drops old records every hour, in one process at a time, while the clock can be trusted. Stopping waits for the
 * transaction in progress.
 */
export function startRetention(ctx: Ctx): Loop {
  const retentionClock = createRetentionClock(ctx);
  let nextRunMs = Number.NEGATIVE_INFINITY;
  const lease: Lease = { name: 'retention', holder: ctx.ids.next(), forMs: 5 * MINUTE_MS };
  let isStopping = false;
  const goOn = async () => {
    if (isStopping) throw new LoopStopped();
    if (!(await holdLease(ctx, lease))) throw new Error('another process has taken the retention over');
  };
  const work = async () => {
    if (monotonicMs() < nextRunMs) return;
    const nowMs = await retentionClock.trustedMs();
    if (nowMs === null) return;
    nextRunMs = monotonicMs() + HOUR_MS;
    if (!(await holdLease(ctx, lease))) return;
    try {
      // The clock may leap during the run: all of it goes by the time that was checked.
      await dropOld({ ...ctx, clock: { nowMs: () => nowMs } }, goOn);
    } finally {
      // What is left falls to whoever has the lease next.
      await releaseLease(ctx, lease);
    }
  };
  // The first run comes soon, for a service that is restarted every hour.
  const partitions = startLoop('partitions', HOUR_MS, ctx.log, () => makePartitionsAhead(ctx), MINUTE_MS);
  // Every minute, so that a confirmed clock is noticed soon.
  const loop = startLoop('retention', MINUTE_MS, ctx.log, work);
  return {
    async stop() {
      isStopping = true;
      await Promise.all([partitions.stop(), loop.stop()]);
    },
  };
}

/**
 * Drops clicks and deliveries by whole days, events by whole months; postbacks, former secrets of webhooks and stored
 * answers by their time.
 * @param goOn asked before rows are deleted, a thousand at a time.
 */
export async function dropOld(ctx: Ctx, goOn: GoOn = async () => undefined): Promise<void> {
  const { clickRetentionDays, eventRetentionDays } = ctx.config;
  const forEachApp = await eachApp(ctx, goOn);
  const clicksBeforeMs = endOfOld(ctx, 'clicks', clickRetentionDays);
  await dropOldClicks(ctx, clicksBeforeMs, forEachApp);
  const deliveriesBeforeMs = endOfOld(ctx, 'webhook_attempts', deliveryRetentionDays(ctx.config));
  const areDeliveriesGone = await dropOldDeliveries(ctx, deliveriesBeforeMs, forEachApp);
  if (eventRetentionDays !== null && areDeliveriesGone) {
    const keptDays = Math.max(eventRetentionDays, LEAST_DELIVERY_DAYS + 1);
    await dropOldEvents(ctx, endOfOld(ctx, 'events', keptDays), forEachApp);
  }
  const postbacksBeforeMs = ctx.clock.nowMs() - UNPROVEN_KEPT_DAYS * DAY_MS;
  await dropForEachApp(ctx, { table: 'postbacks', beforeMs: postbacksBeforeMs, forEachApp }, (appId, limit) =>
    dropOldPostbacks(ctx, appId, { beforeMs: postbacksBeforeMs, limit }),
  );
  const changesBeforeMs = ctx.clock.nowMs() - CHANGES_KEPT_DAYS * DAY_MS;
  await dropForEachApp(ctx, { table: 'audit_log', beforeMs: changesBeforeMs, forEachApp }, (appId, limit) =>
    deleteOldChanges(ctx, appId, { beforeMs: changesBeforeMs, limit }),
  );
  // Clocks of several processes may differ by less than a day.
  const usageBeforeMs = ctx.clock.nowMs() - DAY_MS;
  await dropForEachApp(ctx, { table: 'daily_usage', beforeMs: usageBeforeMs, forEachApp }, (appId, limit) =>
    deleteOldUsage(ctx, appId, { beforeDay: dayOf(isoTime(usageBeforeMs)), limit }),
  );
  await forEachApp((appId) => forgetFormerSecrets(ctx, appId));
  await dropOldTombstones(ctx, isoTime(clicksBeforeMs));
  await dropOldJournals(ctx, isoTime(clicksBeforeMs));
  await deleteOldAnswers(ctx);
  await ctx.store.returnFreeSpace(goOn);
}

/** Whatever is set: deliveries must not be dropped while they wait for their next attempt. */
const LEAST_DELIVERY_DAYS = 1;

/** By an event an erasure finds what webhooks were told of it, so that goes a day before the event at the latest. */
function deliveryRetentionDays({ webhookRetentionDays, eventRetentionDays }: Config): number {
  if (eventRetentionDays === null) return webhookRetentionDays;
  return Math.min(webhookRetentionDays, Math.max(eventRetentionDays - 1, LEAST_DELIVERY_DAYS));
}

async function eachApp(ctx: Ctx, goOn: GoOn): Promise<ForEachApp> {
  const appIds = [...(await listApps(ctx.db)).map(({ id }) => id), NO_APP];
  return async (step) => {
    for (const appId of appIds) {
      do await goOn();
      while ((await step(appId, DROPPED_AT_ONCE)) > 0);
    }
  };
}
