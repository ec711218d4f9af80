/** Landing pages compared with redirects of the same service, on both databases. */

import type { LoadOrder, LoadResult } from '../lib/load.ts';
import { idleNote, machine, medianMs, medianRate, seconds, spread, table, whole } from '../lib/markdown.ts';
import { startPostgres } from '../lib/postgres.ts';
import { type Service, startService } from '../lib/service.ts';
import { startWorker } from '../lib/worker.ts';
import { type LoadRound, type Pace, serviceRound } from '../redirects/rounds.ts';

const CONNECTIONS = [64, 256];

interface Rounds {
  readonly engine: string;
  readonly connections: number;
  readonly rounds: { readonly redirects: LoadRound; readonly pages: LoadRound }[];
}

export async function benchPages({ isQuick }: { isQuick: boolean }): Promise<string> {
  const count = isQuick ? 1 : 3;
  const pace = isQuick ? { warmUpMs: 500, measureMs: 1_500 } : { warmUpMs: 2_000, measureMs: 4_000 };
  await using load = await startWorker<LoadOrder, LoadResult>('lib/load.ts');
  await using postgres = await startPostgres();
  await using onSqlite = await startService(null);
  await using onPostgres = await startService(await postgres.createDatabase('pages'));
  const services: [string, Service][] = [
    ['SQLite', onSqlite],
    ['PostgreSQL', onPostgres],
  ];
  const measured: Rounds[] = [];
  for (const connections of CONNECTIONS)
    for (const [engine, service] of services) {
      const rounds: Rounds['rounds'] = [];
      for (let round = 1; round <= count; round++) {
        const redirects = (await serviceRound(load, service, connections, pace)).load;
        const pages = (await serviceRound(load, service, connections, pace, 'pages')).load;
        console.error(
          `${engine}, ${connections} connections, round ${round} of ${count}: ${whole(redirects.perSecond)} redirects/s, ${whole(pages.perSecond)} pages/s`,
        );
        rounds.push({ redirects, pages });
      }
      measured.push({ engine, connections, rounds });
    }
  return report(measured, pace, postgres.version);
}

function report(measured: readonly Rounds[], pace: Pace, postgresVersion: string): string {
  const lines = measured.map(({ engine, connections, rounds }) => [
    engine,
    String(connections),
    spread(rounds.map(({ redirects, pages }) => pages.perSecond / redirects.perSecond)),
    medianRate(rounds.map(({ pages }) => pages.perSecond)),
    medianRate(rounds.map(({ redirects }) => redirects.perSecond)),
    medianMs(rounds.map(({ pages }) => pages.p99Ms)),
  ]);
  return [
    machine(postgresVersion),
    '',
    `Landing pages for iPhones and redirects of the same service in turn; ${measured[0]?.rounds.length} rounds of ${seconds(pace.measureMs)} after ${seconds(pace.warmUpMs)} of warm-up; medians, lowest and highest ratio in brackets. Every response is one click in the database.`,
    idleNote(measured.flatMap(({ rounds }) => rounds.flatMap(({ redirects, pages }) => [redirects, pages]))),
    '',
    table(['Database', 'Connections', 'Pages / redirects', 'Pages', 'Redirects', 'p99 of pages'], lines),
    '',
  ].join('\n');
}
