/**
 * What recording an attributed install costs: phones tap, and later tell of their install with Play's referrer, against
 * as many bare transactions on the same database, in turn, in one run on one machine.
 */
import { join } from 'node:path';
import type { BareOrder, BareResult } from './bare-installs.ts';
import { type Caller, startCaller } from './calls.ts';
import { machine, median, quietness, spread, table, whole } from './markdown.ts';
import { download, type Installs, install, type Phone, tap } from './phones.ts';
import { startPostgres } from './postgres.ts';
import { say } from './progress.ts';
import { machineIsQuiet } from './quiet.ts';
import { type Service, startService } from './service.ts';
import { temporaryDirectory } from './temporary.ts';
import { startWorker, type Worker } from './worker.ts';

const CONNECTIONS = [16, 64];

interface Size {
  readonly rounds: number;
  readonly installs: number;
  readonly warmUp: number;
}

const FULL: Size = { rounds: 5, installs: 5_000, warmUp: 3_000 };
const QUICK: Size = { rounds: 1, installs: 1_000, warmUp: 500 };

type Bare = Worker<BareOrder, BareResult>;

/** One database, with the service and the bare program on it, and the phones that did not install yet. */
interface Side {
  readonly engine: 'PostgreSQL' | 'SQLite';
  readonly service: Service;
  readonly bare: Bare;
  readonly phones: Phone[];
}

interface InstallRounds {
  readonly engine: string;
  readonly connections: number;
  readonly rounds: { readonly bare: Rate; readonly ours: Rate & Installs }[];
}

interface Rate {
  readonly perSecond: number;
  readonly beganQuiet: boolean;
}

export async function benchInstalls({ isQuick }: { isQuick: boolean }): Promise<string> {
  const size = isQuick ? QUICK : FULL;
  await using caller = await startCaller();
  await using postgres = await startPostgres();
  await using onPostgres = await startService(await postgres.createDatabase('installs'));
  await using onSqlite = await startService(null);
  const services = { PostgreSQL: onPostgres, SQLite: onSqlite };
  // Twice the warm-up: the bare program warms up too, on copies of clicks that are still to be claimed.
  const taps = 2 * size.warmUp + CONNECTIONS.length * size.rounds * size.installs;
  const phones = {
    PostgreSQL: await tap(caller, onPostgres, taps),
    SQLite: await tap(caller, onSqlite, taps),
  };
  await download();

  await using bares = new AsyncDisposableStack();
  const sides: Side[] = [];
  for (const engine of ['PostgreSQL', 'SQLite'] as const) {
    const service = services[engine];
    // The first installs warm up the service, and one of them is what the bare program copies.
    await install(caller, service, phones[engine].splice(0, size.warmUp), CONNECTIONS[0] ?? 1);
    const bare = bares.use(await startBare(engine, service));
    await bare.ask({ connections: CONNECTIONS[0] ?? 1, installs: size.warmUp });
    sides.push({ engine, service, bare, phones: phones[engine] });
  }

  const measured: InstallRounds[] = [];
  for (const connections of CONNECTIONS)
    measured.push(...(await interleave(caller, sides, connections, size)));
  for (const side of sides) await checkTotal(side, size);
  return report(measured, postgres.version, size);
}

/** Bare, ours, on one database and then the other: what disturbs the machine for a while disturbs all of them. */
async function interleave(
  caller: Caller,
  sides: readonly Side[],
  connections: number,
  { rounds: count, installs }: Size,
): Promise<InstallRounds[]> {
  const measured = sides.map(({ engine }): InstallRounds => ({ engine, connections, rounds: [] }));
  for (let round = 1; round <= count; round++) {
    say(`${connections} connections, round ${round} of ${count}`);
    for (const [i, { engine, service, bare, phones }] of sides.entries()) {
      const bareQuiet = await machineIsQuiet();
      const { elapsedMs } = await bare.ask({ connections, installs });
      const bareRate = { perSecond: (installs / elapsedMs) * 1_000, beganQuiet: bareQuiet };
      const beganQuiet = await machineIsQuiet();
      const ours = {
        ...(await install(caller, service, phones.splice(0, installs), connections)),
        beganQuiet,
      };
      say(`  ${engine}: bare ${whole(bareRate.perSecond)}/s, installs ${whole(ours.perSecond)}/s`);
      measured[i]?.rounds.push({ bare: bareRate, ours });
    }
  }
  return measured;
}

async function startBare(engine: string, { database }: Service): Promise<Bare> {
  const ownFile = join(temporaryDirectory('bare-installs'), 'bare.db');
  return await startWorker('bare-installs.ts', [engine, database, ownFile]);
}

/** @throws when an answered install is not in the database with its click. */
async function checkTotal({ engine, service }: Side, size: Size): Promise<void> {
  const expected = size.warmUp + CONNECTIONS.length * size.rounds * size.installs;
  const rows = await service.clicks.installsWithClick();
  if (rows !== expected)
    throw new Error(`${engine}: ${expected} installs were answered, ${rows} are stored with their click`);
  say(`${engine}: ${expected} installs, all stored with their click`);
}

function report(measured: readonly InstallRounds[], postgresVersion: string, size: Size): string {
  const each = measured.flatMap(({ rounds }) => rounds.flatMap(({ bare, ours }) => [bare, ours]));
  return `${[
    machine(postgresVersion),
    [
      'Installs attributed by referrer, end to end over HTTP, and as many bare transactions (one insert, one update) in turn;',
      `${size.rounds} rounds of ${whole(size.installs)} each; medians, lowest and highest ratio in brackets.`,
      quietness(each),
    ].join('\n'),
    table(['Database', 'Connections', 'Ours / bare', 'Ours', 'Bare', 'p50', 'p99'], measured.map(line)),
  ].join('\n\n')}\n`;
}

function line({ engine, connections, rounds }: InstallRounds): string[] {
  return [
    engine,
    String(connections),
    spread(rounds.map(({ bare, ours }) => ours.perSecond / bare.perSecond)),
    `${whole(median(rounds.map(({ ours }) => ours.perSecond)))}/s`,
    `${whole(median(rounds.map(({ bare }) => bare.perSecond)))}/s`,
    `${median(rounds.map(({ ours }) => ours.p50Ms)).toFixed(1)} ms`,
    `${median(rounds.map(({ ours }) => ours.p99Ms)).toFixed(1)} ms`,
  ];
}
