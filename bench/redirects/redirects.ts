/**
 * Redirects compared with those of a bare `node:http` server, on both databases. Also checks that every redirect is one
 * row, and measures memory growth.
 */
import { formatCpuTime } from '../lib/cpu-time.ts';
import { countClicks } from '../lib/database.ts';
import type { Load, LoadOrder, LoadResult } from '../lib/load.ts';
import { median } from '../lib/markdown.ts';
import { type Postgres, startPostgres } from '../lib/postgres.ts';
import { type Server, type Service, startBare, startService } from '../lib/service.ts';
import { linkCount, type TapKind } from '../lib/visitors.ts';
import { startWorker } from '../lib/worker.ts';
import { insertManyLinks } from './many-links.ts';
import { type HalfRateRound, type MemoryGrowth, type RedirectRounds, report } from './redirects-report.ts';
import { bareRound, type Pace, type ServiceRound, sendClicks, serviceRound } from './rounds.ts';

const CASES: readonly Case[] = [
  { connections: 64, taps: 'redirects' },
  { connections: 256, taps: 'redirects' },
  { connections: 256, taps: 'redirectsOfMany' },
];

interface Case {
  readonly connections: number;
  readonly taps: TapKind;
}

interface Size {
  readonly rounds: number;
  readonly pace: Pace;
  /** Numbers of clicks after which memory is read. */
  readonly memoryClicks: readonly [few: number, many: number];
}

const FULL: Size = {
  rounds: 3,
  pace: { warmUpMs: 2_000, measureMs: 4_000 },
  memoryClicks: [20_000, 200_000],
};
const QUICK: Size = {
  rounds: 1,
  pace: { warmUpMs: 500, measureMs: 1_500 },
  memoryClicks: [2_000, 20_000],
};

export async function benchRedirects({ isQuick }: { isQuick: boolean }): Promise<string> {
  const size = isQuick ? QUICK : FULL;
  await using load = await startWorker<LoadOrder, LoadResult>('lib/load.ts');
  await using postgres = await startPostgres();
  const redirects = await measureRedirects(load, postgres, size);
  const memory = await measureMemory(load, postgres, size);
  return report({ redirects, memory, pace: size.pace, postgresVersion: postgres.version });
}

async function measureRedirects(load: Load, postgres: Postgres, size: Size): Promise<RedirectRounds[]> {
  await using bare = await startBare();
  await using synced = await startBare('redirects/bare-synced.ts');
  await using onSqlite = await startService(null);
  await using onPostgres = await startService(await postgres.createDatabase('redirects'));
  const measured: RedirectRounds[] = [];
  for (const service of [onSqlite, onPostgres]) await insertManyLinks(service);
  for (const each of CASES)
    measured.push(...(await interleave(load, { bare, synced, onSqlite, onPostgres }, each, size)));
  await checkTotals(measured, { SQLite: onSqlite, PostgreSQL: onPostgres });
  return measured;
}

/** Interleaves the rounds, so that a disturbance of the machine affects all servers. */
async function interleave(
  load: Load,
  servers: { bare: Server; synced: Server; onSqlite: Service; onPostgres: Service },
  { connections, taps }: Case,
  { rounds: count, pace }: Size,
): Promise<RedirectRounds[]> {
  const links = linkCount(taps);
  const sqlite: RedirectRounds = { engine: 'SQLite', connections, links, rounds: [], atHalf: [] };
  const postgres: RedirectRounds = { engine: 'PostgreSQL', connections, links, rounds: [], atHalf: [] };
  for (let round = 1; round <= count; round++) {
    console.error(`${connections} connections, ${links} links, round ${round} of ${count}`);
    const bare = await bareRound(load, servers.bare, connections, pace, taps);
    logRate('bare node:http', bare);
    const synced = await bareRound(load, servers.synced, connections, pace, taps);
    logRate('bare, with a line on disk', synced);
    for (const [{ engine, rounds }, service] of [
      [sqlite, servers.onSqlite],
      [postgres, servers.onPostgres],
    ] as const) {
      const ours = await serviceRound(load, service, connections, pace, taps);
      logRate(engine, ours.load);
      logCost(ours);
      rounds.push({ bare, synced, ours });
    }
  }
  for (const [measured, service] of [
    [sqlite, servers.onSqlite],
    [postgres, servers.onPostgres],
  ] as const)
    for (let round = 1; round <= count; round++)
      measured.atHalf.push(
        await halfRateRound(load, { service, synced: servers.synced }, measured, { pace, taps }),
      );
  return [sqlite, postgres];
}

/** A round at half of the measured rate, and one of the synced server at the same rate. */
async function halfRateRound(
  load: Load,
  { service, synced: syncedServer }: { service: Service; synced: Server },
  { connections, rounds }: RedirectRounds,
  { pace, taps }: { pace: Pace; taps: TapKind },
): Promise<HalfRateRound> {
  const perSecond = median(rounds.map(({ ours }) => ours.load.perSecond)) / 2;
  const ours = await serviceRound(load, service, connections, { ...pace, perSecond }, taps);
  logRate('at half of that rate', ours.load);
  logCost(ours);
  const synced = await bareRound(load, syncedServer, connections, { ...pace, perSecond }, taps);
  logRate('bare, with a line on disk', synced);
  return { ours, synced };
}

/** @throws unless every redirect is exactly one row. */
async function checkTotals(measured: RedirectRounds[], services: Record<string, Service>): Promise<void> {
  for (const [engine, { reader }] of Object.entries(services)) {
    const received = measured
      .filter((rounds) => rounds.engine === engine)
      .flatMap(({ rounds, atHalf }) => [...rounds, ...atHalf].map(({ ours }) => ours))
      .reduce((sum, { load }) => sum + load.responses, 0);
    const rows = await countClicks(reader);
    if (rows !== received) throw new Error(`${engine}: ${received} redirects, but ${rows} clicks`);
    console.error(`${engine}: ${received} redirects, ${rows} clicks`);
  }
}

async function measureMemory(load: Load, postgres: Postgres, size: Size): Promise<MemoryGrowth[]> {
  const onSqlite = await memoryGrowth(load, 'SQLite', null, size);
  return [onSqlite, await memoryGrowth(load, 'PostgreSQL', await postgres.createDatabase('memory'), size)];
}

async function memoryGrowth(
  load: Load,
  engine: string,
  databaseUrl: string | null,
  { memoryClicks: [few, many] }: Size,
): Promise<MemoryGrowth> {
  await using service = await startService(databaseUrl);
  console.error(`${engine}: memory after ${few} and ${many} clicks`);
  await sendClicks(load, service, few);
  const fewMb = await residentMb(service);
  await sendClicks(load, service, many - few);
  return { engine, few, fewMb, many, manyMb: await residentMb(service) };
}

async function residentMb(service: Service): Promise<number> {
  return (await service.metrics())('process_resident_memory_bytes') / 2 ** 20;
}

function logRate(
  server: string,
  { perSecond, p99Ms, ownCpu }: { perSecond: number; p99Ms: number; ownCpu: number },
) {
  console.error(
    `  ${server}: ${Math.round(perSecond)}/s, p99 ${p99Ms.toFixed(1)} ms (generator: ${Math.round(ownCpu * 100)} % of a core)`,
  );
}

function logCost({ behindMs, cpu }: ServiceRound): void {
  const cpuText = cpu === null ? '' : `; processor time per click: ${formatCpuTime(cpu)}`;
  console.error(`    the oldest click waited for ${Math.round(behindMs)} ms at most${cpuText}`);
}
