/**
 * Whether the service stays as it is: a steady mixed load, far below what it can take, for an hour on each database, with
 * memory, handles and latency looked at throughout; in the end everything that was answered has to be there, once.
 */
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { assertCounted } from '../test/counts.ts';
import type { Acknowledged, Kind } from './mixed-calls.ts';
import type { MixedOrder, MixedResult } from './mixed-load.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { say } from './progress.ts';
import { machineIsQuiet } from './quiet.ts';
import { waitUntilApplied } from './rounds.ts';
import { type Service, startService } from './service.ts';
import { report } from './soak-report.ts';
import { highest, inOrder, lowest, type Window, type Windows } from './soak-windows.ts';
import type { SyncedWrites } from './synced-writes.ts';
import { readVitals, type Vitals } from './vitals.ts';
import { openLog } from './webhook-log.ts';
import { type Receiver, startReceiver } from './webhook-pace.ts';
import { subscribe, waitUntilIdle } from './webhook-side.ts';
import { startWorker, type Worker } from './worker.ts';

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
type Engine = (typeof ENGINES)[keyof typeof ENGINES];

const HOUR = 60;
const QUICK_MINUTES = 1;
/** The first of them warms up. */
const WINDOWS = 12;
const SAMPLES_IN_WINDOW = 5;
const LOOK_EVERY_MS = 5_000;
const IDLE_WITHIN_MS = 120_000;

type Load = Worker<MixedOrder, MixedResult>;
type Disk = Worker<object, SyncedWrites>;

export interface Soak {
  readonly engine: Engine;
  readonly beganQuiet: boolean;
  readonly windows: Windows;
  /** What was answered, and is there. */
  readonly found: Acknowledged;
}

interface SoakOptions {
  readonly isQuick: boolean;
  /** Null for an hour, or a minute where it is quick. */
  readonly minutes: number | null;
  /** Null for both. */
  readonly engine: string | null;
}

export async function benchSoak({ isQuick, minutes, engine }: SoakOptions): Promise<string> {
  if (engine !== null && !Object.hasOwn(ENGINES, engine))
    throw new Error(`--engine must be one of ${Object.keys(ENGINES).join(', ')}, not “${engine}”`);
  const totalMs = (minutes ?? (isQuick ? QUICK_MINUTES : HOUR)) * 60_000;
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
  await using load: Load = await startWorker<MixedOrder, MixedResult>('mixed-load.ts');
  await using disk: Disk = await startWorker<object, SyncedWrites>('synced-writes.ts');
  const { ports } = await receiver.ask({ kind: 'ports' });
  const everything: string[] = [];
  const steadyId = await subscribe({ service }, `http://127.0.0.1:${ports[0]}/steady`, everything);
  await subscribe({ service }, `http://127.0.0.1:${ports[1]}/flaky`, everything);

  const beganQuiet = await machineIsQuiet();
  const startMs = Date.now();
  await order(load, { kind: 'start', port: service.port });
  const [, ...windows] = await watch(engine, { service, load, disk }, totalMs);
  const { acknowledged } = await order(load, { kind: 'stop' });
  await check({ engine, service, steadyId, startMs }, acknowledged);
  return { engine, beganQuiet, windows: inOrder(windows), found: acknowledged };
}

async function watch(
  engine: Engine,
  { service, load, disk }: { service: Service; load: Load; disk: Disk },
  totalMs: number,
): Promise<Window[]> {
  const windowMs = totalMs / WINDOWS;
  const everyMs = Math.min(LOOK_EVERY_MS, windowMs / SAMPLES_IN_WINDOW);
  const startMs = Date.now();
  const windows: Window[] = [];
  for (let n = 1; n <= WINDOWS; n++) {
    const vitals: Vitals[] = [];
    do {
      await wait(everyMs);
      vitals.push(await readVitals(service));
    } while (Date.now() < startMs + n * windowMs);
    const { latencies } = await order(load, { kind: 'look' });
    const window = { vitals, latencies, disk: await disk.ask({}) };
    say(`${engine}, window ${n} of ${WINDOWS}: ${summary(window)}`);
    windows.push(window);
  }
  return windows;
}

/** @throws when a call was answered with something else than expected. */
async function order(load: Load, given: MixedOrder): Promise<MixedResult> {
  const result = await load.ask(given);
  if (result.errors > 0)
    throw new Error(`${result.errors} answers were others than expected; the first: ${result.firstError}`);
  return result;
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
    `a synced write p99 ${window.disk.p99Ms.toFixed(1)} ms, at most ${window.disk.longestMs.toFixed(0)} ms`,
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

/** @throws when something that was answered is not there, is there twice, or is not counted once. */
async function check(
  { engine, service, steadyId, startMs }: Stored,
  { clicks, events, messages, methods }: Acknowledged,
): Promise<void> {
  await waitUntilApplied(service, startMs, clicks);
  const stored = await service.clicks.events();
  if (stored !== events) throw new Error(`${events} events were answered, but ${stored} are stored`);
  await using log = await openLog(service.database);
  await waitUntilIdle({ engine, log }, IDLE_WITHIN_MS);
  const { messages: arrived } = await log.attempts(steadyId);
  if (arrived !== messages) throw new Error(`of ${messages} messages ${arrived} arrived`);
  const missing = METHODS.filter((method) => methods[method] === undefined);
  if (missing.length > 0)
    throw new Error(`no install was attributed by ${missing}: ${JSON.stringify(methods)}`);
  const databaseUrl = engine === 'SQLite' ? null : service.database;
  await assertCounted({ databaseUrl, dataDir: dirname(service.database) });
  say(
    `${engine}: ${clicks} clicks, ${events} events, ${messages} messages, installs ${JSON.stringify(methods)}`,
  );
}
