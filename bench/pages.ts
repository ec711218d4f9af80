/** What a landing page costs: pages beside the redirects of the same service, in one run, on both databases. */
import { machine, median, quietness, seconds, spread, table, whole } from './markdown.ts';
import { startPostgres } from './postgres.ts';
import { say } from './progress.ts';
import { type Pace, type Round, serviceRound, startLoad } from './rounds.ts';
import { type Service, startService } from './service.ts';

const CONNECTIONS = [64, 256];

interface Rounds {
  readonly engine: string;
  readonly connections: number;
  readonly rounds: { readonly redirects: Round; readonly pages: Round }[];
}

export async function benchPages({ isQuick }: { isQuick: boolean }): Promise<string> {
  const count = isQuick ? 1 : 3;
  const pace = isQuick ? { warmUpMs: 500, measureMs: 1_500 } : { warmUpMs: 2_000, measureMs: 4_000 };
  await using load = await startLoad();
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
        say(
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
    `${whole(median(rounds.map(({ pages }) => pages.perSecond)))}/s`,
    `${whole(median(rounds.map(({ redirects }) => redirects.perSecond)))}/s`,
    `${median(rounds.map(({ pages }) => pages.p99Ms)).toFixed(1)} ms`,
  ]);
  return [
    machine(postgresVersion),
    '',
    `Landing pages for iPhones and redirects of the same service in turn; ${measured[0]?.rounds.length} rounds of ${seconds(pace.measureMs)} after ${seconds(pace.warmUpMs)} of warm-up; medians, lowest and highest ratio in brackets. Every answer is one click in the database.`,
    quietness(measured.flatMap(({ rounds }) => rounds.flatMap(({ redirects, pages }) => [redirects, pages]))),
    '',
    table(['Database', 'Connections', 'Pages / redirects', 'Pages', 'Redirects', 'p99 of pages'], lines),
    '',
  ].join('\n');
}
