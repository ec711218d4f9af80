import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Static } from 'typebox';
import { type AppRow, listApps, sharedHostsOf } from '../apps/index.ts';
import { countAbandonedDeliveries } from '../audit/index.ts';
import type { Backups } from '../backups/index.ts';
import { type ClickLog, journalDirectory } from '../click-log/index.ts';
import { databaseFile, listNodesAway } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { checksOf, listHostRows, placeOf } from '../hosts/index.ts';
import { DAY_MS, isoTime, MINUTE_MS, startOf } from '../lib/clock.ts';
import { cachedFor } from '../lib/coalesce.ts';
import { readLastBackup } from '../lib/data-dir/index.ts';
import { readSpace } from '../lib/free-space.ts';
import { VERSION } from '../lib/version.ts';
import { countPendingErasures, readClock } from '../privacy/index.ts';
import type { RootSecret } from '../root-secret/index.ts';
import type { CheckResult } from '../server/operations.ts';
import { countPending } from '../stats/index.ts';
import {
  countUnsigned,
  countWaiting,
  listAppsWaiting,
  listFailingWebhooks,
  maskAddress,
} from '../webhooks/index.ts';
import { checkLinks, type LinkCheck, type LinkCheckDeps } from './check-links.ts';
import type { AppleAway } from './problem.ts';
import { problemsOf } from './problems.ts';
import type { FailingHost, NamedWebhook } from './problems-of-users.ts';
import { type Health, MAX_COUNTED, MAX_WEBHOOKS_NAMED } from './schemas.ts';

export interface HealthDeps
  extends LinkCheckDeps,
    Pick<Foundation, 'store' | 'db' | 'clock' | 'config' | 'secrets'> {
  readonly clickLog: ClickLog;
  readonly checkDatabase: () => Promise<CheckResult>;
  readonly appleAds: { away(): AppleAway | null };
  readonly rootSecret: Pick<RootSecret, 'describe' | 'isUnknown'>;
  readonly backups: Pick<Backups, 'failure'>;
}

/** What takes many statements is read once a minute. */
const LOOK_EVERY_MS = MINUTE_MS;

interface LookAtUsers {
  readonly links: LinkCheck;
  readonly webhooks: readonly NamedWebhook[];
  readonly failingHosts: readonly FailingHost[];
}

/**
 * A reader of the state of this process, its disk and the database, and of what fails for users.
 * It throws if the database cannot be read.
 */
export function createHealth(deps: HealthDeps): () => Promise<Static<typeof Health>> {
  const startedAt = isoTime(deps.clock.nowMs());
  const look = cachedFor(
    LOOK_EVERY_MS,
    () => lookAtUsers(deps),
    () => deps.clock.nowMs(),
  );
  return () => readHealth(deps, startedAt, look);
}

async function lookAtUsers(deps: HealthDeps): Promise<LookAtUsers> {
  const apps = await listApps(deps.db);
  const [links, failing, failingHosts] = await Promise.all([
    checkLinks(deps, apps),
    listFailingWebhooks(deps.db, deps),
    listFailingHosts(deps, apps),
  ]);
  const names = new Map(apps.map(({ id, name }) => [id, name]));
  const webhooks = failing.map(({ url, ...webhook }) => ({
    ...webhook,
    appName: names.get(webhook.appId) ?? webhook.appId,
    url: webhook.name === null ? maskAddress(url) : '',
  }));
  return { links, webhooks, failingHosts };
}

/** By host, since apps may share one. What was found before a host was no longer looked at says nothing of today. */
async function listFailingHosts({ db, config }: HealthDeps, apps: readonly AppRow[]): Promise<FailingHost[]> {
  const watched = new Map(apps.map((app) => [app.id, { app, place: placeOf(config, app) }]));
  const told = (await listHostRows(db)).flatMap((row) => {
    const { app, place } = watched.get(row.app_id) ?? {};
    if (app === undefined || place?.host !== row.host || place.watching !== 'on') return [];
    const messages = checksOf(row)
      .filter(({ state, isTold }) => state === 'problem' && isTold)
      .map(({ message }) => message);
    return messages.length === 0 ? [] : [{ host: row.host, messages, app: { id: app.id, name: app.name } }];
  });
  return [...Map.groupBy(told, ({ host }) => host)].map(([host, of]) => ({
    host,
    isShared: sharedHostsOf(config).includes(host),
    messages: [...new Set(of.flatMap(({ messages }) => messages))],
    apps: of.map(({ app }) => app),
  }));
}

async function readHealth(
  deps: HealthDeps,
  startedAt: string,
  look: () => Promise<LookAtUsers>,
): Promise<Static<typeof Health>> {
  const { store, clock, config, clickLog, checkDatabase } = deps;
  const nowMs = clock.nowMs();
  const [database, nodesAway, clicks, unsignedWebhooks, ...found] = await Promise.all([
    checkDatabase(),
    listNodesAway(deps.db),
    clickLog.health(),
    countUnsigned(deps),
    store.describe(),
    readQueues(deps, nowMs),
    readDisk(deps),
    readClock(deps),
    look(),
    readLastBackup(config),
    deps.rootSecret.describe(),
  ]);
  const [
    description,
    queues,
    disk,
    { doubt: clockDoubt },
    { links, webhooks, failingHosts },
    lastBackup,
    secret,
  ] = found;
  const lastBackupAt = lastBackup?.at ?? null;
  const { failures: failingLinks, ...checkedLinks } = links;
  return {
    version: VERSION,
    startedAt,
    checkedAt: isoTime(nowMs),
    problems: problemsOf({
      ...{ database, nodesAway, clicks, disk, unsignedWebhooks, clockDoubt },
      ...{
        nowMs,
        failingLinks,
        webhooks,
        failingHosts,
        lastBackupAt,
        oldestErasureMs: queues.oldestErasureMs,
      },
      appleAway: deps.appleAds.away(),
      backupFailure: deps.backups.failure(),
      isBackupScheduled: config.backup !== null,
      isSecretUnknown: deps.rootSecret.isUnknown(),
      appleAdsUrl: config.appleAdsUrl,
      failingApps: clickLog.failingApps(),
      waitingApps: queues.deliveriesWaiting < MAX_COUNTED ? [] : await listAppsWaiting(deps.db),
    }),
    database: { ...description, status: database.ok ? 'ok' : 'refusing' },
    journal: { bytes: clicks.journalBytes, oldestWaitingMs: clickLog.lagMs() || null },
    queues,
    disk,
    secret,
    backup: { lastAt: lastBackupAt },
    links: checkedLinks,
    webhooks: webhooks.slice(0, MAX_WEBHOOKS_NAMED),
    retention: { clocksDiffer: clockDoubt === 'clocks_differ' },
  };
}

async function readQueues({ db }: HealthDeps, nowMs: number) {
  const [
    { attempts, firstDueAt },
    deliveriesAbandonedToday,
    deliveriesAbandoned24h,
    pendingCounts,
    { requests: erasuresRunning, firstRequestedAt },
  ] = await Promise.all([
    countWaiting(db, MAX_COUNTED),
    countAbandonedDeliveries(db, startOf('day', nowMs), MAX_COUNTED),
    countAbandonedDeliveries(db, nowMs - DAY_MS, MAX_COUNTED),
    countPending(db, MAX_COUNTED),
    countPendingErasures(db),
  ]);
  const dueForMs = firstDueAt === null ? -1 : nowMs - Date.parse(firstDueAt);
  return {
    deliveriesWaiting: attempts,
    oldestDeliveryMs: dueForMs < 0 ? null : dueForMs,
    deliveriesAbandonedToday,
    deliveriesAbandoned24h,
    pendingCounts,
    erasuresRunning,
    oldestErasureMs: firstRequestedAt === null ? null : Math.max(0, nowMs - Date.parse(firstRequestedAt)),
  };
}

interface Usage {
  readonly dataBytes: number;
  readonly databaseBytes: number;
  readonly journalBytes: number;
}

/** Null for what a failing disk does not tell. */
async function readDisk({ config }: HealthDeps) {
  const [space, usage] = await Promise.all([
    readSpace(config.dataDir).catch(() => ({ freeBytes: null, reservedBytes: null })),
    readUsage(config.dataDir).catch(() => ({ dataBytes: null, databaseBytes: null, journalBytes: null })),
  ]);
  return { ...space, ...usage };
}

async function readUsage(dataDir: string): Promise<Usage> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      // Segments of the journal are deleted at any moment.
      const found = entry.isFile() ? await stat(path).catch(() => null) : null;
      return { path, bytes: found?.size ?? 0 };
    }),
  );
  const sum = (prefix: string) =>
    files.reduce((total, { path, bytes }) => total + (path.startsWith(prefix) ? bytes : 0), 0);
  return {
    dataBytes: sum(''),
    // With its write-ahead log.
    databaseBytes: sum(databaseFile({ dataDir })),
    journalBytes: sum(join(journalDirectory(dataDir), '/')),
  };
}
