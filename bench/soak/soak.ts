/**
 * Stability under a steady mixed load far below capacity, for an hour on each database: memory, handles, latency. At the
 * end, every acknowledged record must be stored exactly once.
 */
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { assertCounted } from '../../test/helpers/counts.ts';
import { countAttempts, countEvents } from '../lib/database.ts';
import { waitForIdleMachine } from '../lib/machine-load.ts';
import { type Postgres, startPostgres } from '../lib/postgres.ts';
import { type Service, startService } from '../lib/service.ts';
import { startWorker, type Worker } from '../lib/worker.ts';
import { waitUntilApplied } from '../redirects/rounds.ts';
import { createWebhook, waitUntilIdle } from '../webhooks/webhook-calls.ts';
import { type Receiver, startReceiver } from '../webhooks/webhook-latency.ts';
import type { Acknowledged, Kind } from './mixed-calls.ts';
import type { MixedOrder, MixedResult } from './mixed-load.ts';
import { readServiceStats, type ServiceStats } from './service-stats.ts';
import { report } from './soak-report.ts';
import { highest, lowest, toWindows, type Window, type Windows } from './soak-windows.ts';
import type { SyncedWrites } from './synced-writes.ts';

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
type Engine = (typeof ENGINES)[keyof typeof ENGINES];

const FULL_MINUTES = 60;
const QUICK_MINUTES = 1;
/** Including one for warm-up. */
const WINDOWS = 12;
const SAMPLES_PER_WINDOW = 5;
const MAX_SAMPLE_INTERVAL_MS = 5_000;
const IDLE_TIMEOUT_MS = 120_000;

type Load = Worker<MixedOrder, MixedResult>;
type Disk = Worker<object, SyncedWrites>;

export interface Soak {
  readonly engine: Engine;
  readonly wasIdle: boolean;
  readonly windows: Windows;
  readonly found: Acknowledged;
}

interface SoakOptions {
  readonly isQuick: boolean;
  /** Null for an hour, or a minute with `--quick`. */
  readonly minutes: number | null;
  /** Null for both. */
  readonly engine: string | null;
}

export async function benchSoak({ isQuick, minutes, engine }: SoakOptions): Promise<string> {
  if (engine !== null && !Object.hasOwn(ENGINES, engine))
    throw new Error(`--engine must be one of ${Object.keys(ENGINES).join(', ')}, not “${engine}”`);
  const totalMs = (minutes ?? (isQuick ? QUICK_MINUTES : FULL_MINUTES)) * 60_000;
  await using receiver = await startReceiver();
  await using postgres = await startPostgres();
  const soaks: Soak[] = [];
  for (const [key, name] of Object.entries(ENGINES))
    if (engine === null || engine === key) soaks.push(await soak(name, postgres, receiver, totalMs));
  return report(soaks, totalMs, postgres.version);
}

async function soak(engine: Engine, postgres: Postgres, receiver: Receiver, totalMs: number): Promise<Soak> {
  const databaseUrl = engine === 'SQLite' ? null : await postgres.createDatabase('soak');
  await using service = await startService(databaseUrl, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  await using load: Load = await startWorker<MixedOrder, MixedResult>('soak/mixed-load.ts');
  await using disk: Disk = await startWorker<object, SyncedWrites>('soak/synced-writes.ts');
  const { ports } = await receiver.run({ kind: 'ports' });
  const allEvents: string[] = [];
  const steadyId = await createWebhook(service, `http://127.0.0.1:${ports[0]}/steady`, allEvents);
  await createWebhook(service, `http://127.0.0.1:${ports[1]}/flaky`, allEvents);

  const wasIdle = await waitForIdleMachine();
  const startMs = Date.now();
  await load.run({ kind: 'start', port: service.port });
  const [, ...windows] = await watch(engine, { service, load, disk }, totalMs);
  const { acknowledged } = await load.run({ kind: 'stop' });
  await check({ engine, service, steadyId, startMs }, acknowledged);
  return { engine, wasIdle, windows: toWindows(windows), found: acknowledged };
}

async function watch(
  engine: Engine,
  { service, load, disk }: { service: Service; load: Load; disk: Disk },
  totalMs: number,
): Promise<Window[]> {
  const windowMs = totalMs / WINDOWS;
  const intervalMs = Math.min(MAX_SAMPLE_INTERVAL_MS, windowMs / SAMPLES_PER_WINDOW);
  const startMs = Date.now();
  const windows: Window[] = [];
  for (let n = 1; n <= WINDOWS; n++) {
    const stats: ServiceStats[] = [];
    do {
      await wait(intervalMs);
      stats.push(await readServiceStats(service));
    } while (Date.now() < startMs + n * windowMs);
    const { latencies } = await load.run({ kind: 'latencies' });
    const window = { stats, latencies, disk: await disk.run({}) };
    console.error(`${engine}, window ${n} of ${WINDOWS}: ${summary(window)}`);
    windows.push(window);
  }
  return windows;
}

function summary(window: Window): string {
  const p99 = (kind: Kind) =>
    `${kind} p99 ${window.latencies.find((latency) => latency.kind === kind)?.p99Ms.toFixed(1)} ms`;
  return [
    `${highest(window, 'residentMb').toFixed(0)} MB at most`,
    `heap ${lowest(window, 'heapMb').toFixed(0)} MB at least`,
    `${lowest(window, 'descriptors')} descriptors`,
    p99('redirect'),
    p99('event'),
    `synced write p99 ${window.disk.p99Ms.toFixed(1)} ms, at most ${window.disk.longestMs.toFixed(0)} ms`,
    `behind ${highest(window, 'behindMs').toFixed(0)} ms at most`,
  ].join(', ');
}

interface Stored {
  readonly engine: Engine;
  readonly service: Service;
  readonly steadyId: string;
  readonly startMs: number;
}

const METHODS = ['CLICK_ID', 'INSTALL_REFERRER', 'FINGERPRINT', 'ORGANIC'];

/** @throws unless every acknowledged record is stored once and counted once. */
async function check(
  { engine, service, steadyId, startMs }: Stored,
  { clicks, events, messages, methods }: Acknowledged,
): Promise<void> {
  await waitUntilApplied(service, startMs, clicks);
  const stored = await countEvents(service.reader);
  if (stored !== events) throw new Error(`${events} events were acknowledged, but ${stored} are stored`);
  await waitUntilIdle({ engine, service }, IDLE_TIMEOUT_MS);
  const { messages: arrived } = await countAttempts(service.reader, steadyId);
  if (arrived !== messages) throw new Error(`of ${messages} messages ${arrived} arrived`);
  const missing = METHODS.filter((method) => methods[method] === undefined);
  if (missing.length > 0)
    throw new Error(`no install was attributed by ${missing}: ${JSON.stringify(methods)}`);
  const databaseUrl = engine === 'SQLite' ? null : service.database;
  await assertCounted({ databaseUrl, dataDir: dirname(service.database) });
  console.error(
    `${engine}: ${clicks} clicks, ${events} events, ${messages} messages, installs ${JSON.stringify(methods)}`,
  );
}
