/**
 * Attributed installs with Play's referrer, compared with the same number of bare transactions on the same database.
 */
import { join } from 'node:path';
import type { Caller, CallOrder, CallResult } from '../lib/caller.ts';
import { countAttributedInstalls } from '../lib/database.ts';
import { waitForIdleMachine } from '../lib/machine-load.ts';
import {
  COMPARISON_HEAD,
  comparisonCells,
  idleNote,
  machine,
  type Round,
  table,
  whole,
} from '../lib/markdown.ts';
import { type Phone, recordInstalls, tapLinks, waitForDownloads } from '../lib/phones.ts';
import { startPostgres } from '../lib/postgres.ts';
import { type Service, startService } from '../lib/service.ts';
import { temporaryDirectory } from '../lib/temporary.ts';
import { startWorker, type Worker } from '../lib/worker.ts';
import type { BareOrder, BareResult } from './bare-installs.ts';

const CONNECTIONS = [16, 64] as const;

interface Size {
  readonly rounds: number;
  readonly installs: number;
  readonly warmUp: number;
}

const FULL: Size = { rounds: 5, installs: 5_000, warmUp: 3_000 };
const QUICK: Size = { rounds: 1, installs: 1_000, warmUp: 500 };

type Engine = 'PostgreSQL' | 'SQLite';

/** A database with the service and the bare program, and the phones without an install. */
interface Side {
  readonly engine: Engine;
  readonly service: Service;
  readonly bare: Worker<BareOrder, BareResult>;
  readonly phones: Phone[];
}

interface Comparison {
  readonly engine: Engine;
  readonly connections: number;
  readonly rounds: { readonly bare: Pick<Round, 'perSecond' | 'wasIdle'>; readonly ours: Round }[];
}

export async function benchInstalls({ isQuick }: { isQuick: boolean }): Promise<string> {
  const size = isQuick ? QUICK : FULL;
  await using caller = await startWorker<CallOrder, CallResult>('lib/caller.ts');
  await using postgres = await startPostgres();
  await using onPostgres = await startService(await postgres.createDatabase('installs'));
  await using onSqlite = await startService(null);
  await using bares = new AsyncDisposableStack();
  const services = { PostgreSQL: onPostgres, SQLite: onSqlite };
  // Twice the warm-up: the bare program also warms up, on copies of unclaimed clicks.
  const taps = 2 * size.warmUp + CONNECTIONS.length * size.rounds * size.installs;
  const tapped: [Engine, Phone[]][] = [
    ['PostgreSQL', await tapLinks(caller, onPostgres, taps)],
    ['SQLite', await tapLinks(caller, onSqlite, taps)],
  ];
  await waitForDownloads();

  const sides: Side[] = [];
  for (const [engine, phones] of tapped) {
    const service = services[engine];
    // The bare program copies one of these installs.
    await recordInstalls(caller, service, phones.splice(0, size.warmUp), CONNECTIONS[0]);
    const bare = bares.use(await startBare(engine, service));
    await bare.run({ connections: CONNECTIONS[0], installs: size.warmUp });
    sides.push({ engine, service, bare, phones });
  }

  const measured: Comparison[] = [];
  for (const connections of CONNECTIONS)
    measured.push(...(await interleave(caller, sides, connections, size)));
  for (const side of sides) await checkTotal(side, size);
  return report(measured, postgres.version, size);
}

/** Interleaves the rounds, so that a disturbance of the machine affects both programs on both databases. */
async function interleave(
  caller: Caller,
  sides: readonly Side[],
  connections: number,
  { rounds: count, installs }: Size,
): Promise<Comparison[]> {
  const measured = sides.map(({ engine }): Comparison => ({ engine, connections, rounds: [] }));
  for (let round = 1; round <= count; round++) {
    console.error(`${connections} connections, round ${round} of ${count}`);
    for (const [i, { engine, service, bare, phones }] of sides.entries()) {
      const bareWasIdle = await waitForIdleMachine();
      const { elapsedMs } = await bare.run({ connections, installs });
      const bareRound = { perSecond: (installs / elapsedMs) * 1_000, wasIdle: bareWasIdle };
      const wasIdle = await waitForIdleMachine();
      const rates = await recordInstalls(caller, service, phones.splice(0, installs), connections);
      console.error(`  ${engine}: bare ${whole(bareRound.perSecond)}/s, ours ${whole(rates.perSecond)}/s`);
      measured[i]?.rounds.push({ bare: bareRound, ours: { ...rates, wasIdle } });
    }
  }
  return measured;
}

async function startBare(engine: string, { database }: Service): Promise<Worker<BareOrder, BareResult>> {
  const ownFile = join(temporaryDirectory('bare-installs'), 'bare.db');
  return await startWorker('installs/bare-installs.ts', [engine, database, ownFile]);
}

/** @throws unless every acknowledged install is in the database with its click. */
async function checkTotal({ engine, service }: Side, size: Size): Promise<void> {
  const expected = size.warmUp + CONNECTIONS.length * size.rounds * size.installs;
  const rows = await countAttributedInstalls(service.reader);
  if (rows !== expected)
    throw new Error(`${engine}: ${expected} installs were acknowledged, ${rows} are stored with their click`);
  console.error(`${engine}: ${expected} installs, all stored with their click`);
}

function report(measured: readonly Comparison[], postgresVersion: string, size: Size): string {
  const all = measured.flatMap(({ rounds }) => rounds.flatMap(({ bare, ours }) => [bare, ours]));
  return `${[
    machine(postgresVersion),
    [
      'Installs attributed by referrer over HTTP, and the same number of bare transactions (one insert, one update), in turn;',
      `${size.rounds} rounds of ${whole(size.installs)} each; medians, lowest and highest ratio in brackets.`,
      idleNote(all),
    ].join('\n'),
    table(
      ['Database', 'Connections', ...COMPARISON_HEAD],
      measured.map(({ engine, connections, rounds }) => [
        engine,
        String(connections),
        ...comparisonCells(rounds),
      ]),
    ),
  ].join('\n\n')}\n`;
}
