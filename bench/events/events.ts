/** Events in batches and singly, compared with a bare server that stores the same rows in the same database. */
import { join } from 'node:path';
import type { Caller, CallOrder, CallResult } from '../lib/caller.ts';
import { countEvents } from '../lib/database.ts';
import { parseJson, requestText } from '../lib/http-messages.ts';
import { waitForIdleMachine } from '../lib/machine-load.ts';
import {
  COMPARISON_HEAD,
  comparisonCells,
  idleNote,
  machine,
  percentile,
  type Round,
  table,
  whole,
} from '../lib/markdown.ts';
import { recordOrganicInstalls } from '../lib/phones.ts';
import { startPostgres } from '../lib/postgres.ts';
import { SDK_KEY, type Service, startService } from '../lib/service.ts';
import { temporaryDirectory } from '../lib/temporary.ts';
import { startWorker, type Worker } from '../lib/worker.ts';

interface Case {
  /** Events in a call. */
  readonly batch: number;
  readonly connections: number;
  /** In a round. */
  readonly calls: number;
}

interface Size {
  readonly rounds: number;
  readonly cases: readonly Case[];
}

const FULL: Size = {
  rounds: 5,
  cases: [
    { batch: 500, connections: 4, calls: 60 },
    { batch: 1, connections: 16, calls: 4_000 },
    { batch: 1, connections: 64, calls: 4_000 },
  ],
};
const QUICK: Size = {
  rounds: 1,
  cases: [
    { batch: 500, connections: 4, calls: 10 },
    { batch: 1, connections: 16, calls: 500 },
  ],
};
const INSTALLS = 50;

type Bare = Worker<object, { readonly port: number; readonly rows: number }>;

interface Side {
  readonly engine: 'PostgreSQL' | 'SQLite';
  readonly service: Service;
  readonly bare: Bare;
  readonly installIds: readonly string[];
}

interface Comparison extends Case {
  readonly engine: Side['engine'];
  readonly rounds: { readonly bare: Round; readonly ours: Round }[];
}

export async function benchEvents({ isQuick }: { isQuick: boolean }): Promise<string> {
  const size = isQuick ? QUICK : FULL;
  await using caller = await startWorker<CallOrder, CallResult>('lib/caller.ts');
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
    sides.push({ engine, service, bare, installIds: await recordOrganicInstalls(caller, service, INSTALLS) });
  }
  const measured: Comparison[] = [];
  for (const each of size.cases) measured.push(...(await interleave(caller, sides, each, size.rounds)));
  for (const side of sides) await checkTotal(side, size);
  return report(measured, postgres.version, size);
}

/** Interleaves the rounds, so that a disturbance of the machine affects both servers. The first round warms up. */
async function interleave(
  caller: Caller,
  sides: readonly Side[],
  each: Case,
  rounds: number,
): Promise<Comparison[]> {
  const measured = sides.map(({ engine }): Comparison => ({ engine, ...each, rounds: [] }));
  for (let round = 0; round <= rounds; round++) {
    console.error(
      `${each.batch} in a call, ${each.connections} connections, ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}`,
    );
    for (const [i, { engine, service, bare, installIds }] of sides.entries()) {
      const { port } = await bare.run({});
      const both = {
        bare: await runRound(caller, port, each, installIds),
        ours: await runRound(caller, service.port, each, installIds),
      };
      console.error(
        `  ${engine}: bare ${whole(both.bare.perSecond)}/s, ours ${whole(both.ours.perSecond)}/s`,
      );
      if (round > 0) measured[i]?.rounds.push(both);
    }
  }
  return measured;
}

async function runRound(
  caller: Caller,
  port: number,
  { batch, connections, calls }: Case,
  installIds: readonly string[],
): Promise<Round> {
  const wasIdle = await waitForIdleMachine();
  const { latenciesMs, elapsedMs } = await recordEvents(
    caller,
    port,
    { batch, connections, calls },
    installIds,
  );
  return {
    perSecond: ((calls * batch) / elapsedMs) * 1_000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    wasIdle,
  };
}

/** The events of a call belong to one install, as an app sends them. @throws if an event is not recorded. */
export async function recordEvents(
  caller: Caller,
  port: number,
  { batch, connections, calls }: Case,
  installIds: readonly string[],
): Promise<CallResult> {
  const requests = Array.from({ length: calls }, (_, call) => eventsRequest(call, batch, installIds));
  const result = await caller.run({ port, connections, requests });
  for (const response of result.responses) checkRecorded(response, batch);
  return result;
}

function eventsRequest(call: number, batch: number, installIds: readonly string[]): string {
  const headers = {
    'X-Api-Key': SDK_KEY,
    // One address per call, because calls are rate-limited by address.
    'X-Forwarded-For': `12.${call >> 16}.${(call >> 8) & 255}.${call & 255}`,
  };
  const events = Array.from({ length: batch }, (_, i) => ({
    installId: installIds[call % installIds.length],
    eventName: EVENT_NAMES[i % EVENT_NAMES.length],
    properties: { orderId: `order-${call}-${i}`, amount: 19.99 + i, currency: 'EUR', items: (i % 5) + 1 },
    occurredAt: new Date().toISOString(),
  }));
  return batch === 1
    ? requestText('POST', '/v1/sdk/event', headers, events[0])
    : requestText('POST', '/v1/sdk/events', headers, { events });
}

const EVENT_NAMES = ['purchase', 'add_to_cart', 'level_complete', 'screen_view', 'search'];

function checkRecorded(response: string, batch: number): void {
  if (batch === 1 && response.startsWith('HTTP/1.1 201 ')) return;
  const { results } = parseJson<{ results: { status: number }[] }>(response);
  if (results.length !== batch || results.some(({ status }) => status !== 201))
    throw new Error(`not all events were recorded: ${response.slice(0, 500)}`);
}

async function startBare(engine: string, { database }: Service): Promise<Bare> {
  const ownFile = join(temporaryDirectory('bare-events'), 'bare.db');
  return await startWorker('events/bare-events.ts', [engine, database, ownFile]);
}

/** @throws unless every acknowledged event is stored, by the service and by the bare server. */
async function checkTotal({ engine, service, bare }: Side, { rounds, cases }: Size): Promise<void> {
  const expected = cases.reduce((sum, { calls, batch }) => sum + (rounds + 1) * calls * batch, 0);
  const rows = { ours: await countEvents(service.reader), bare: (await bare.run({})).rows };
  if (rows.ours !== expected || rows.bare !== expected)
    throw new Error(`${engine}: ${expected} events were acknowledged, ${JSON.stringify(rows)} are stored`);
  console.error(`${engine}: ${expected} events, all stored`);
}

function report(measured: readonly Comparison[], postgresVersion: string, { rounds }: Size): string {
  const all = measured.flatMap((comparison) => comparison.rounds.flatMap(({ bare, ours }) => [bare, ours]));
  return `${[
    machine(postgresVersion),
    [
      'Events recorded over HTTP, and by a bare server that stores the same rows, in turn;',
      `${rounds} rounds; medians, lowest and highest ratio in brackets.`,
      idleNote(all),
    ].join('\n'),
    table(
      ['Database', 'Events in a call', 'Connections', ...COMPARISON_HEAD],
      measured.map(({ engine, batch, connections, rounds }) => [
        engine,
        whole(batch),
        String(connections),
        ...comparisonCells(rounds),
      ]),
    ),
  ].join('\n\n')}\n`;
}
