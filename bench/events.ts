/**
 * What recording events costs, in batches and one by one: the service against a bare server that stores the same rows
 * in the same database, in turn, in one run on one machine.
 */
import { join } from 'node:path';
import { type Caller, jsonOf, request, startCaller } from './calls.ts';
import { machine, median, percentile, quietness, spread, table, whole } from './markdown.ts';
import { registerInstalls } from './phones.ts';
import { startPostgres } from './postgres.ts';
import { say } from './progress.ts';
import { machineIsQuiet } from './quiet.ts';
import { SDK_KEY, type Service, startService } from './service.ts';
import { temporaryDirectory } from './temporary.ts';
import { startWorker, type Worker } from './worker.ts';

/** How events come: so many in a call, over so many connections. */
interface Manner {
  readonly inCall: number;
  readonly connections: number;
  /** In a round. */
  readonly calls: number;
}

interface Size {
  readonly rounds: number;
  readonly manners: readonly Manner[];
}

const FULL: Size = {
  rounds: 5,
  manners: [
    { inCall: 500, connections: 4, calls: 60 },
    { inCall: 1, connections: 16, calls: 4_000 },
    { inCall: 1, connections: 64, calls: 4_000 },
  ],
};
const QUICK: Size = {
  rounds: 1,
  manners: [
    { inCall: 500, connections: 4, calls: 10 },
    { inCall: 1, connections: 16, calls: 500 },
  ],
};
/** Whose events they are. */
const INSTALLS = 50;

type Bare = Worker<object, { readonly port: number; readonly rows: number }>;

interface Side {
  readonly engine: 'PostgreSQL' | 'SQLite';
  readonly service: Service;
  readonly bare: Bare;
  readonly installIds: readonly string[];
}

interface Round {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly beganQuiet: boolean;
}

interface Comparison {
  readonly engine: Side['engine'];
  readonly manner: Manner;
  readonly rounds: { readonly bare: Round; readonly ours: Round }[];
}

export async function benchEvents({ isQuick }: { isQuick: boolean }): Promise<string> {
  const size = isQuick ? QUICK : FULL;
  await using caller = await startCaller();
  await using postgres = await startPostgres();
  await using onPostgres = await startService(await postgres.createDatabase('events'));
  await using onSqlite = await startService(null);
  await using bares = new AsyncDisposableStack();
  const sides: Side[] = [];
  for (const [engine, service] of [
    ['PostgreSQL', onPostgres],
    ['SQLite', onSqlite],
  ] as const) {
    const bare = bares.use(await startBare(engine, service));
    sides.push({ engine, service, bare, installIds: await registerInstalls(caller, service, INSTALLS) });
  }
  const measured: Comparison[] = [];
  for (const manner of size.manners) measured.push(...(await interleave(caller, sides, manner, size.rounds)));
  for (const side of sides) await checkTotal(side, size);
  return report(measured, postgres.version, size);
}

/** Bare, ours, on one database and then the other: what disturbs the machine for a while disturbs all. The first round warms up. */
async function interleave(
  caller: Caller,
  sides: readonly Side[],
  manner: Manner,
  rounds: number,
): Promise<Comparison[]> {
  const measured = sides.map(({ engine }): Comparison => ({ engine, manner, rounds: [] }));
  for (let round = 0; round <= rounds; round++) {
    say(
      `${manner.inCall} in a call, ${manner.connections} connections, ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}`,
    );
    for (const [i, { engine, service, bare, installIds }] of sides.entries()) {
      const { port } = await bare.ask({});
      const both = {
        bare: await record(caller, port, manner, installIds),
        ours: await record(caller, service.port, manner, installIds),
      };
      say(`  ${engine}: bare ${whole(both.bare.perSecond)}/s, ours ${whole(both.ours.perSecond)}/s`);
      if (round > 0) measured[i]?.rounds.push(both);
    }
  }
  return measured;
}

/** @throws when an event is not recorded. */
async function record(
  caller: Caller,
  port: number,
  { inCall, connections, calls }: Manner,
  installIds: readonly string[],
): Promise<Round> {
  const beganQuiet = await machineIsQuiet();
  const requests = Array.from({ length: calls }, (_, call) => eventsRequest(call, inCall, installIds));
  const { answers, latenciesMs, elapsedMs } = await caller.call({ port, connections, requests });
  for (const answer of answers) check(answer, inCall);
  return {
    perSecond: ((calls * inCall) / elapsedMs) * 1_000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    beganQuiet,
  };
}

/** Those of a call are one install's, as an app sends them. Calls are counted by address, so each has its own. */
export function eventsRequest(call: number, inCall: number, installIds: readonly string[]): string {
  const headers = {
    'X-Api-Key': SDK_KEY,
    'X-Forwarded-For': `12.${call >> 16}.${(call >> 8) & 255}.${call & 255}`,
  };
  const events = Array.from({ length: inCall }, (_, i) => ({
    installId: installIds[call % installIds.length],
    eventName: EVENT_NAMES[i % EVENT_NAMES.length],
    properties: { orderId: `order-${call}-${i}`, amount: 19.99 + i, currency: 'EUR', items: (i % 5) + 1 },
    occurredAt: new Date().toISOString(),
  }));
  return inCall === 1
    ? request('POST', '/v1/sdk/event', headers, events[0])
    : request('POST', '/v1/sdk/events', headers, { events });
}

const EVENT_NAMES = ['purchase', 'add_to_cart', 'level_complete', 'screen_view', 'search'];

/** @throws when the answer does not say that all were recorded. */
export function check(answer: string, inCall: number): void {
  if (inCall === 1 && answer.startsWith('HTTP/1.1 201 ')) return;
  const { results } = jsonOf<{ results: { status: number }[] }>(answer);
  if (results.length !== inCall || results.some(({ status }) => status !== 201))
    throw new Error(`not all events were recorded: ${answer.slice(0, 500)}`);
}

async function startBare(engine: string, { database }: Service): Promise<Bare> {
  return await startWorker('bare-events.ts', [
    engine,
    database,
    join(temporaryDirectory('bare-events'), 'bare.db'),
  ]);
}

/** @throws when an answered event is no row, with the service or with the bare server. */
async function checkTotal({ engine, service, bare }: Side, { rounds, manners }: Size): Promise<void> {
  const expected = manners.reduce((sum, { calls, inCall }) => sum + (rounds + 1) * calls * inCall, 0);
  const rows = { ours: await service.clicks.events(), bare: (await bare.ask({})).rows };
  if (rows.ours !== expected || rows.bare !== expected)
    throw new Error(`${engine}: ${expected} events were answered, ${JSON.stringify(rows)} are stored`);
  say(`${engine}: ${expected} events, all stored`);
}

function report(measured: readonly Comparison[], postgresVersion: string, { rounds }: Size): string {
  const each = measured.flatMap((comparison) => comparison.rounds.flatMap(({ bare, ours }) => [bare, ours]));
  return `${[
    machine(postgresVersion),
    [
      'Events recorded over HTTP, and by a bare server that stores the same rows, in turn;',
      `${rounds} rounds; medians, lowest and highest ratio in brackets.`,
      quietness(each),
    ].join('\n'),
    table(
      ['Database', 'Events in a call', 'Connections', 'Ours / bare', 'Ours', 'Bare', 'p50', 'p99'],
      measured.map(line),
    ),
  ].join('\n\n')}\n`;
}

function line({ engine, manner: { inCall, connections }, rounds }: Comparison): string[] {
  return [
    engine,
    whole(inCall),
    String(connections),
    spread(rounds.map(({ bare, ours }) => ours.perSecond / bare.perSecond)),
    `${whole(median(rounds.map(({ ours }) => ours.perSecond)))}/s`,
    `${whole(median(rounds.map(({ bare }) => bare.perSecond)))}/s`,
    `${median(rounds.map(({ ours }) => ours.p50Ms)).toFixed(1)} ms`,
    `${median(rounds.map(({ ours }) => ours.p99Ms)).toFixed(1)} ms`,
  ];
}
