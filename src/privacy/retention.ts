import { Gauge, type Registry } from 'prom-client';
import { dropExpiredAccess } from '../accounts/index.ts';
import { listApps } from '../apps/index.ts';
import { CHANGES_KEPT_DAYS, deleteOldChanges } from '../audit/index.ts';
import { dropOldClicks, dropOldJournals, dropOldTombstones } from '../click-log/index.ts';
import type { Config } from '../config.ts';
import {
  createPartitionsAhead,
  type Db,
  dropForEachApp,
  type ForEachApp,
  forEachReachable,
  holdLease,
  isNodeAway,
  type Lease,
  releaseLease,
  retentionStart,
  type Store,
} from '../db/index.ts';
import { dropOldEvents } from '../events/index.ts';
import {
  CLICK_IDS_KEPT_DAYS,
  dropOldClickIds,
  dropOldGoneInstalls,
  GONE_KEPT_DAYS,
} from '../installs/index.ts';
import { type Clock, DAY_MS, HOUR_MS, isoTime, MINUTE_MS, monotonicMs, SECOND_MS } from '../lib/clock.ts';
import { removeOldCopies } from '../lib/data-dir/index.ts';
import type { Ids } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { type Heartbeat, type Loop, LoopStopped, startLoop } from '../lib/loop.ts';
import { dropOldImports, IMPORTS_KEPT_DAYS } from '../links/index.ts';
import { dropOldWaiting, WAITING_KEPT_DAYS } from '../revenuecat/index.ts';
import { deleteExpiredResponses } from '../server/idempotency.ts';
import { dropOldPostbacks, NO_APP, UNPROVEN_KEPT_DAYS } from '../skadnetwork/index.ts';
import { deleteOldUsage } from '../stats/index.ts';
import { deleteExpiredSecrets, dropOldMessages, minMessageDays } from '../webhooks/index.ts';
import { createRetentionClock } from './retention-clock.ts';

interface RetentionDeps {
  readonly store: Store;
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Registry;
}

/** Small, so that other statements are not delayed. */
const ROWS_PER_STEP = 1_000;

/** Drops old records every hour, in one process at a time, while the clock is trusted. `stop` waits for the current transaction. */
export function startRetention(deps: RetentionDeps): Loop {
  const retentionClock = createRetentionClock(deps);
  const lastRun = new Gauge({
    name: 'throughline_retention_last_run_timestamp_seconds',
    help: 'When this process last dropped old records to the end; of several processes one does',
    registers: [deps.metrics],
  });
  // Absent, not 0, until then.
  lastRun.remove();
  let nextRunMs = Number.NEGATIVE_INFINITY;
  const lease: Lease = { name: 'retention', holder: deps.ids.next(), forMs: 5 * MINUTE_MS };
  let isStopping = false;
  const goOn = async () => {
    if (isStopping) throw new LoopStopped();
    if (!(await holdLease(deps, lease))) throw new Error('Another process has taken over the retention');
  };
  const work = async () => {
    if (monotonicMs() < nextRunMs) return;
    const nowMs = await retentionClock.trustedMs();
    if (nowMs === null) return;
    nextRunMs = monotonicMs() + HOUR_MS;
    if (!(await holdLease(deps, lease))) return;
    try {
      // Uses the verified time for the whole run, since the clock may leap during it.
      await dropOld({ ...deps, clock: { nowMs: () => nowMs } }, goOn);
      lastRun.set(nowMs / SECOND_MS);
    } finally {
      await releaseLease(deps, lease);
    }
  };
  // Runs soon after the start, for services that restart every hour.
  const partitions = startLoop('partitions', HOUR_MS, deps.log, () => createPartitionsAhead(deps), MINUTE_MS);
  // Every minute, to resume soon after a confirmation of the clock.
  const loop = startLoop('retention', MINUTE_MS, deps.log, work);
  return {
    async stop() {
      isStopping = true;
      await Promise.all([partitions.stop(), loop.stop()]);
    },
  };
}

/**
 * Drops clicks, messages and attempts by whole days, events by whole months, and other expired rows by their time.
 * @param goOn called before each step of at most a thousand rows.
 */
export async function dropOld(
  { db, store, clock, config, log }: { db: Db; store: Store; clock: Clock; config: Config; log: Log },
  goOn: Heartbeat = async () => undefined,
): Promise<void> {
  const forEachApp = await eachApp({ db, log }, goOn);
  const { clickDays, deliveryDays, eventDays } = await keptDays({ db, config });
  const clicksBeforeMs = retentionStart({ clock }, 'clicks', clickDays);
  await dropOldClicks({ db, store, log }, clicksBeforeMs, forEachApp);
  const deliveriesBeforeMs = retentionStart({ clock }, 'webhook_attempts', deliveryDays);
  const areDeliveriesGone = await dropOldMessages({ db, store, log }, deliveriesBeforeMs, forEachApp);
  if (eventDays !== null && areDeliveriesGone)
    await dropOldEvents({ db, store, log }, retentionStart({ clock }, 'events', eventDays), forEachApp);
  for (const { table, days, drop } of BY_AGE) {
    const beforeMs = clock.nowMs() - days * DAY_MS;
    await dropForEachApp({ log }, { table, beforeMs, forEachApp }, (appId, limit) =>
      drop(db, appId, { beforeMs, limit }),
    );
  }
  await forEachApp((appId) => deleteExpiredSecrets({ db, clock }, appId));
  await dropOldTombstones({ db, log }, isoTime(clicksBeforeMs));
  await dropOldJournals({ db, log }, isoTime(clicksBeforeMs));
  await deleteExpiredResponses({ db, clock, log });
  await dropExpiredAccess({ db, clock, log });
  if (config.databaseUrl === null) removeOldCopies(config, clock.nowMs());
}

const BY_AGE = [
  { table: 'postbacks', days: UNPROVEN_KEPT_DAYS, drop: dropOldPostbacks },
  { table: 'gone_installs', days: GONE_KEPT_DAYS, drop: dropOldGoneInstalls },
  { table: 'revenuecat_waiting', days: WAITING_KEPT_DAYS, drop: dropOldWaiting },
  // Their Google click IDs alone.
  { table: 'installs', days: CLICK_IDS_KEPT_DAYS, drop: dropOldClickIds },
  { table: 'imports', days: IMPORTS_KEPT_DAYS, drop: dropOldImports },
  { table: 'audit_log', days: CHANGES_KEPT_DAYS, drop: deleteOldChanges },
  // Tolerates clocks of several processes that differ by less than a day.
  { table: 'daily_usage', days: 1, drop: deleteOldUsage },
] as const;

/** For how many days records are kept; null: for good. Those of webhooks may have to wait for attempts that are due. */
export async function keptDays({ db, config }: { db: Db; config: Config }): Promise<{
  clickDays: number;
  deliveryDays: number;
  eventDays: number | null;
}> {
  const minDays = await minMessageDays(db);
  return {
    clickDays: config.clickRetentionDays,
    deliveryDays: deliveryRetentionDays(config, minDays),
    eventDays: config.eventRetentionDays === null ? null : Math.max(config.eventRetentionDays, minDays + 1),
  };
}

/** An erasure finds webhook messages through their event, so that they are dropped at least a day before it. */
function deliveryRetentionDays(
  { webhookRetentionDays, eventRetentionDays }: Config,
  minDays: number,
): number {
  const wantedDays =
    eventRetentionDays === null
      ? webhookRetentionDays
      : Math.min(webhookRetentionDays, eventRetentionDays - 1);
  return Math.max(wantedDays, minDays);
}

const AWAY = 'A node of the cluster is away: old rows of its apps are dropped an hour later';

async function eachApp({ db, log }: { db: Db; log: Log }, goOn: Heartbeat): Promise<ForEachApp> {
  const appIds = [...(await listApps(db)).map(({ id }) => id), NO_APP];
  return async (step) => {
    const drop = async (appId: string) => {
      do await goOn();
      while ((await step(appId, ROWS_PER_STEP)) > 0);
    };
    await forEachReachable(db, appIds, (appId) => appId, drop).catch((error: unknown) => {
      if (!isNodeAway(error)) throw error;
      log.warn({ err: error }, AWAY);
    });
  };
}
