import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Static } from 'typebox';
import { countAbandonedDeliveries } from '../audit/index.ts';
import type { ClickLog } from '../click-log/index.ts';
import { listNodesAway } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime, startOf } from '../lib/clock.ts';
import { readSpace } from '../lib/free-space.ts';
import { VERSION } from '../lib/version.ts';
import { countPendingErasures, readClock } from '../privacy/index.ts';
import type { CheckResult } from '../server/operations.ts';
import { countPending } from '../stats/index.ts';
import { countUnsigned, countWaiting, listAppsWaiting } from '../webhooks/index.ts';
import { problemsOf } from './problems.ts';
import { type Health, MAX_COUNTED } from './schemas.ts';

export interface HealthDeps extends Pick<Foundation, 'store' | 'db' | 'clock' | 'config' | 'secrets'> {
  readonly clickLog: ClickLog;
  readonly checkDatabase: () => Promise<CheckResult>;
}

/** The state of this process, its disk and the database. @throws if the database cannot be read. */
export async function readHealth(deps: HealthDeps, startedAt: string): Promise<Static<typeof Health>> {
  const { store, clock, config, clickLog, checkDatabase } = deps;
  const nowMs = clock.nowMs();
  const [database, nodesAway, clicks, unsignedWebhooks, ...found] = await Promise.all([
    checkDatabase(),
    listNodesAway(deps.db),
    clickLog.health(),
    countUnsigned(deps),
    store.describe(),
    readQueues(deps, nowMs),
    readDisk(config.dataDir),
    readClock(deps),
  ]);
  const [description, queues, disk, { doubt: clockDoubt }] = found;
  return {
    version: VERSION,
    startedAt,
    checkedAt: isoTime(nowMs),
    problems: problemsOf({
      ...{ database, nodesAway, clicks, disk, unsignedWebhooks, clockDoubt },
      failingApps: clickLog.failingApps(),
      waitingApps: queues.deliveriesWaiting < MAX_COUNTED ? [] : await listAppsWaiting(deps.db),
    }),
    database: { ...description, status: database.ok ? 'ok' : 'refusing' },
    journal: { bytes: clicks.journalBytes, oldestWaitingMs: clickLog.lagMs() || null },
    queues,
    disk,
    retention: { clocksDiffer: clockDoubt === 'clocks_differ' },
  };
}

async function readQueues({ db }: HealthDeps, nowMs: number) {
  const [{ attempts, firstDueAt }, deliveriesAbandonedToday, pendingCounts, erasuresRunning] =
    await Promise.all([
      countWaiting(db, MAX_COUNTED),
      countAbandonedDeliveries(db, startOf('day', nowMs), MAX_COUNTED),
      countPending(db, MAX_COUNTED),
      countPendingErasures(db),
    ]);
  const dueForMs = firstDueAt === null ? -1 : nowMs - Date.parse(firstDueAt);
  return {
    deliveriesWaiting: attempts,
    oldestDeliveryMs: dueForMs < 0 ? null : dueForMs,
    deliveriesAbandonedToday,
    pendingCounts,
    erasuresRunning,
  };
}

/** Null for what a failing disk does not tell. */
async function readDisk(dataDir: string) {
  const [space, dataBytes] = await Promise.all([
    readSpace(dataDir).catch(() => ({ freeBytes: null, reservedBytes: null })),
    sizeOf(dataDir).catch(() => null),
  ]);
  return { ...space, dataBytes };
}

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const sizes = entries.map(async (entry) => {
    if (!entry.isFile()) return 0;
    // Segments of the journal are deleted at any moment.
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => null);
    return found?.size ?? 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
