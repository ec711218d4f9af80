/**
 * What recording every click costs: our redirects beside those of a bare `node:http` server, in one run on one machine,
 * on both databases; whether every redirect became a row; and how memory grows.
 */
import { costOf } from './cpu-time.ts';
import { makeManyLinks } from './many-links.ts';
import { median } from './markdown.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { say } from './progress.ts';
import { type AtHalf, type MemoryGrowth, type RedirectRounds, report } from './report.ts';
import {
  bareRound,
  click,
  type Load,
  type Pace,
  type ServiceRound,
  serviceRound,
  startLoad,
} from './rounds.ts';
import { type Server, type Service, startBare, startService } from './service.ts';
import { type Answers, linksOf } from './visitors.ts';

const CASES: readonly Case[] = [
  { connections: 64, answers: 'redirects' },
  { connections: 256, answers: 'redirects' },
  { connections: 256, answers: 'redirectsOfMany' },
];

interface Case {
  readonly connections: number;
  readonly answers: Answers;
}

interface Size {
  readonly rounds: number;
  readonly pace: Pace;
  /** Memory is read after so many clicks, and after so many. */
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
  await using load = await startLoad();
  await using postgres = await startPostgres();
  const redirects = await measureRedirects(load, postgres, size);
  const memory = await measureMemory(load, postgres, size);
  return report({ redirects, memory, pace: size.pace, postgresVersion: postgres.version });
}

async function measureRedirects(load: Load, postgres: Postgres, size: Size): Promise<RedirectRounds[]> {
  await using bare = await startBare();
  await using synced = await startBare('bare-synced.ts');
  await using onSqlite = await startService(null);
  await using onPostgres = await startService(await postgres.createDatabase('redirects'));
  const measured: RedirectRounds[] = [];
  for (const service of [onSqlite, onPostgres]) await makeManyLinks(service);
  for (const each of CASES)
    measured.push(...(await interleave(load, { bare, synced, onSqlite, onPostgres }, each, size)));
  await checkTotals(measured, { SQLite: onSqlite, PostgreSQL: onPostgres });
  return measured;
}

/** Bare, synced, SQLite, PostgreSQL, bare, …: what disturbs the machine for a while disturbs all of them. */
async function interleave(
  load: Load,
  servers: { bare: Server; synced: Server; onSqlite: Service; onPostgres: Service },
  { connections, answers }: Case,
  { rounds: count, pace }: Size,
): Promise<RedirectRounds[]> {
  const links = linksOf(answers);
  const sqlite: RedirectRounds = { engine: 'SQLite', connections, links, rounds: [], atHalf: [] };
  const postgres: RedirectRounds = { engine: 'PostgreSQL', connections, links, rounds: [], atHalf: [] };
  for (let round = 1; round <= count; round++) {
    say(`${connections} connections, ${links} links, round ${round} of ${count}`);
    const bare = await bareRound(load, servers.bare, connections, pace, answers);
    sayRate('bare node:http', bare);
    const synced = await bareRound(load, servers.synced, connections, pace, answers);
    sayRate('bare, with a line on disk', synced);
    for (const [{ engine, rounds }, service] of [
      [sqlite, servers.onSqlite],
      [postgres, servers.onPostgres],
    ] as const) {
      const ours = await serviceRound(load, service, connections, pace, answers);
      sayRate(engine, ours.load);
      sayCost(ours);
      rounds.push({ bare, synced, ours });
    }
  }
  for (const [measured, service] of [
    [sqlite, servers.onSqlite],
    [postgres, servers.onPostgres],
  ] as const)
    for (let round = 1; round <= count; round++)
      measured.atHalf.push(
        await atHalf(load, { service, synced: servers.synced }, measured, { pace, answers }),
      );
  return [sqlite, postgres];
}

/** A round at half of the rate that the others came to, and one of the synced server's at the same rate. */
async function atHalf(
  load: Load,
  { service, synced: syncedServer }: { service: Service; synced: Server },
  { connections, rounds }: RedirectRounds,
  { pace, answers }: { pace: Pace; answers: Answers },
): Promise<AtHalf> {
  const perSecond = median(rounds.map(({ ours }) => ours.load.perSecond)) / 2;
  const ours = await serviceRound(load, service, connections, { ...pace, perSecond }, answers);
  sayRate('at half of that', ours.load);
  sayCost(ours);
  const synced = await bareRound(load, syncedServer, connections, { ...pace, perSecond }, answers);
  sayRate('bare, with a line on disk', synced);
  return { ours, synced };
}

/** @throws where a redirect did not become exactly one row. */
async function checkTotals(measured: RedirectRounds[], services: Record<string, Service>): Promise<void> {
  for (const [engine, { clicks }] of Object.entries(services)) {
    const received = measured
      .filter((rounds) => rounds.engine === engine)
      .flatMap(({ rounds, atHalf }) => [...rounds, ...atHalf].map(({ ours }) => ours))
      .reduce((sum, { load }) => sum + load.answers, 0);
    const rows = await clicks.count();
    if (rows !== received) throw new Error(`${engine}: ${received} redirects, but ${rows} clicks`);
    say(`${engine}: ${received} redirects, ${rows} clicks`);
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
  say(`${engine}: memory after ${few} and ${many} clicks`);
  await click(load, service, few);
  const fewMb = service.memoryMb();
  await click(load, service, many - few);
  return { engine, few, fewMb, many, manyMb: service.memoryMb() };
}

function sayRate(
  what: string,
  { perSecond, p99Ms, ownCpu }: { perSecond: number; p99Ms: number; ownCpu: number },
) {
  say(
    `  ${what}: ${Math.round(perSecond)}/s, p99 ${p99Ms.toFixed(1)} ms (generator: ${Math.round(ownCpu * 100)} % of a core)`,
  );
}

function sayCost({ behindMs, cpu }: ServiceRound): void {
  const cost = cpu === null ? '' : `; processor time of a click: ${costOf(cpu)}`;
  say(`    the oldest click waited for ${Math.round(behindMs)} ms at most${cost}`);
}
