/**
 * `npm run bench`: what recording every click costs. Our redirects beside those of a bare `node:http` server, in one
 * run on one machine, on both databases; whether every redirect became a row; and how memory grows.
 * With `--quick`: one short round of each, to see that it all works.
 */

import { type Postgres, startPostgres } from './postgres.ts';
import { type MemoryGrowth, type RedirectRounds, report } from './report.ts';
import { bareRound, click, type Load, type Pace, serviceRound, startLoad } from './rounds.ts';
import { type Server, type Service, startBare, startService } from './service.ts';

const isQuick = process.argv.includes('--quick');
const CONNECTIONS = [64, 256];
const ROUNDS = isQuick ? 1 : 3;
const PACE: Pace = isQuick ? { warmUpMs: 500, measureMs: 1_500 } : { warmUpMs: 2_000, measureMs: 4_000 };
/** Memory is read after so many clicks, and after so many. */
const MEMORY_CLICKS = isQuick ? ([2_000, 20_000] as const) : ([20_000, 200_000] as const);

await using load = await startLoad();
await using postgres = await startPostgres();
const redirects = await measureRedirects(load, postgres);
const memory = await measureMemory(load, postgres);
process.stdout.write(report({ redirects, memory, pace: PACE, postgresVersion: postgres.version }));

async function measureRedirects(load: Load, postgres: Postgres): Promise<RedirectRounds[]> {
  await using bare = await startBare();
  await using onSqlite = await startService(null);
  await using onPostgres = await startService(await postgres.createDatabase('redirects'));
  const measured: RedirectRounds[] = [];
  for (const connections of CONNECTIONS)
    measured.push(...(await interleave(load, { bare, onSqlite, onPostgres }, connections)));
  await checkTotals(measured, { SQLite: onSqlite, PostgreSQL: onPostgres });
  return measured;
}

/** Bare, SQLite, PostgreSQL, bare, …: what disturbs the machine for a while disturbs all of them. */
async function interleave(
  load: Load,
  servers: { bare: Server; onSqlite: Service; onPostgres: Service },
  connections: number,
): Promise<RedirectRounds[]> {
  const sqlite: RedirectRounds = { engine: 'SQLite', connections, rounds: [] };
  const postgres: RedirectRounds = { engine: 'PostgreSQL', connections, rounds: [] };
  for (let round = 1; round <= ROUNDS; round++) {
    say(`${connections} connections, round ${round} of ${ROUNDS}`);
    const bare = await bareRound(load, servers.bare, connections, PACE);
    sayRate('bare node:http', bare);
    for (const [{ engine, rounds }, service] of [
      [sqlite, servers.onSqlite],
      [postgres, servers.onPostgres],
    ] as const) {
      const ours = await serviceRound(load, service, connections, PACE);
      sayRate(engine, ours.load);
      rounds.push({ bare, ours });
    }
  }
  return [sqlite, postgres];
}

/** @throws where a redirect did not become exactly one row. */
async function checkTotals(measured: RedirectRounds[], services: Record<string, Service>): Promise<void> {
  for (const [engine, { clicks }] of Object.entries(services)) {
    const received = measured
      .filter((rounds) => rounds.engine === engine)
      .flatMap(({ rounds }) => rounds)
      .reduce((sum, { ours }) => sum + ours.load.redirects, 0);
    const rows = await clicks.count();
    if (rows !== received) throw new Error(`${engine}: ${received} redirects, but ${rows} clicks`);
    say(`${engine}: ${received} redirects, ${rows} clicks`);
  }
}

async function measureMemory(load: Load, postgres: Postgres): Promise<MemoryGrowth[]> {
  const onSqlite = await memoryGrowth(load, 'SQLite', null);
  return [onSqlite, await memoryGrowth(load, 'PostgreSQL', await postgres.createDatabase('memory'))];
}

async function memoryGrowth(load: Load, engine: string, databaseUrl: string | null): Promise<MemoryGrowth> {
  await using service = await startService(databaseUrl);
  const [few, many] = MEMORY_CLICKS;
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

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
