/**
 * The time to erase a person with 5,000 records in a small and in a ten times larger database, and the effect on
 * redirects.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { waitForIdleMachine } from '../lib/machine-load.ts';
import { idleNote, machine, medianMs, percentile, spread, table, whole } from '../lib/markdown.ts';
import { callAtPace } from '../lib/pace.ts';
import { startPostgres } from '../lib/postgres.ts';
import { callApi, type Service, startService } from '../lib/service.ts';
import { shortCode } from '../lib/visitors.ts';
import { fillPeople, type Population, RECORDS_OF_PERSON, userId } from './people.ts';

interface Size {
  readonly few: Population;
  readonly many: Population;
  readonly rounds: number;
  /** Redirects in a round. */
  readonly taps: number;
}

const FULL: Size = {
  few: { clicks: 100_000, installs: 10_000, events: 100_000, people: 6 },
  many: { clicks: 1_000_000, installs: 100_000, events: 1_000_000, people: 6 },
  rounds: 5,
  taps: 1_500,
};
const QUICK: Size = {
  few: { clicks: 10_000, installs: 1_000, events: 10_000, people: 3 },
  many: { clicks: 40_000, installs: 4_000, events: 40_000, people: 3 },
  rounds: 2,
  taps: 500,
};

const ERASURES = '/v1/privacy/erase';
const TAP_EVERY_MS = 2;
/** Within the rate limit of a key. */
const POLL_MS = 200;
const ERASURE_TIMEOUT_MS = 60_000;
/** The rate limit of a key in a minute. The people have no records, so this measures the fixed cost of a request. */
const BATCH_REQUESTS = 30;
const MINUTE_MS = 60_000;
const FIRST_UNKNOWN_PERSON = 1_000_000;

interface Side {
  readonly engine: string;
  readonly few: Service;
  readonly many: Service;
}

interface Measured {
  readonly engine: string;
  readonly rounds: readonly Round[];
  /** One run in the large database. */
  readonly batchMs: number;
}

interface Round {
  readonly wasIdle: boolean;
  readonly fewMs: number;
  readonly manyMs: number;
  readonly aloneP99Ms: number;
  readonly duringP99Ms: number;
}

export async function benchErasure({ isQuick }: { isQuick: boolean }): Promise<string> {
  const size = isQuick ? QUICK : FULL;
  await using postgres = await startPostgres();
  const measured: Measured[] = [];
  for (const engine of ['PostgreSQL', 'SQLite']) {
    const database = async (name: string) =>
      engine === 'SQLite' ? null : await postgres.createDatabase(name);
    await using few = await startService(await database('few'));
    await using many = await startService(await database('many'));
    console.error(`${engine}: filling`);
    await fillPeople(few, size.few);
    await fillPeople(many, size.many);
    const rounds = await measure({ engine, few, many }, size);
    measured.push({ engine, rounds, batchMs: await eraseBatch(many) });
  }
  return report(measured, postgres.version, size);
}

async function measure({ engine, few, many }: Side, { rounds: count, taps }: Size): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round <= count; round++) {
    const wasIdle = await waitForIdleMachine();
    const fewMs = await erase(few, round);
    const aloneP99Ms = await tapsP99(many, (count) => count < taps);
    let isErased = false;
    const erasing = erase(many, round).finally(() => {
      isErased = true;
    });
    const duringP99Ms = await tapsP99(many, () => !isErased);
    const manyMs = await erasing;
    console.error(
      `${engine}, ${round === 0 ? 'warm-up' : `round ${round} of ${count}`}: erased in ${fewMs.toFixed(0)} and ${manyMs.toFixed(0)} ms; redirects p99 ${aloneP99Ms.toFixed(1)} alone, ${duringP99Ms.toFixed(1)} during the erasure`,
    );
    if (round > 0) rounds.push({ wasIdle, fewMs, manyMs, aloneP99Ms, duringP99Ms });
  }
  return rounds;
}

/** @returns milliseconds from the request to `completed`. */
async function erase(service: Service, person: number): Promise<number> {
  const startMs = performance.now();
  await waitUntilCompleted(service, await requestErasure(service, person));
  return performance.now() - startMs;
}

/** @returns milliseconds until the last of many requests is completed. First waits until the rate limit is reset. */
async function eraseBatch(service: Service): Promise<number> {
  console.error(`waiting a minute for the rate limit of ${BATCH_REQUESTS} requests`);
  await wait(MINUTE_MS);
  await waitForIdleMachine();
  const startMs = performance.now();
  let last = '';
  for (let n = 0; n < BATCH_REQUESTS; n++) last = await requestErasure(service, FIRST_UNKNOWN_PERSON + n);
  await waitUntilCompleted(service, last);
  return performance.now() - startMs;
}

async function requestErasure(service: Service, person: number): Promise<string> {
  const body = { userId: userId(person) };
  const { requestIds } = await callApi<{ requestIds: [string] }>(service, 'POST', ERASURES, body);
  return requestIds[0];
}

async function waitUntilCompleted(service: Service, requestId: string): Promise<void> {
  const startMs = performance.now();
  for (;;) {
    const { status } = await callApi<{ status: string }>(service, 'GET', `${ERASURES}/${requestId}`);
    if (status === 'completed') return;
    if (performance.now() - startMs > ERASURE_TIMEOUT_MS) throw new Error('an erasure did not complete');
    await wait(POLL_MS);
  }
}

/** One tap every 2 ms, without waiting for responses. */
async function tapsP99({ port }: Service, shouldContinue: (count: number) => boolean): Promise<number> {
  const dispatcher = new Agent({ connections: 32 });
  const latenciesMs = await callAtPace(TAP_EVERY_MS, shouldContinue, (n) => tap(port, n, dispatcher));
  await dispatcher.close();
  return percentile(latenciesMs, 0.99);
}

async function tap(port: number, n: number, dispatcher: Agent): Promise<number> {
  const startMs = performance.now();
  const headers = { 'x-forwarded-for': `10.${n % 200}.1.1`, 'user-agent': 'Mozilla/5.0 (iPhone)' };
  const response = await request(`http://127.0.0.1:${port}/l/${shortCode(n % 10)}`, { headers, dispatcher });
  await response.body.dump();
  if (response.statusCode !== 302) throw new Error(`status ${response.statusCode} of a tap`);
  return performance.now() - startMs;
}

function report(
  measured: readonly Measured[],
  postgresVersion: string,
  { few, many, rounds: count }: Size,
): string {
  const lines = measured.map(({ engine, rounds, batchMs }) => [
    engine,
    medianMs(
      rounds.map(({ fewMs }) => fewMs),
      0,
    ),
    medianMs(
      rounds.map(({ manyMs }) => manyMs),
      0,
    ),
    spread(rounds.map(({ fewMs, manyMs }) => manyMs / fewMs)),
    `${batchMs.toFixed(0)} ms`,
    medianMs(rounds.map(({ aloneP99Ms }) => aloneP99Ms)),
    spread(rounds.map(({ aloneP99Ms, duringP99Ms }) => duringP99Ms / aloneP99Ms)),
  ]);
  return [
    machine(postgresVersion),
    '',
    `Erasing a person with ${whole(RECORDS_OF_PERSON)} records by user ID, from the request to \`completed\`; medians of ${count} rounds, lowest and highest ratio in brackets.`,
    `Few: ${whole(few.clicks)} clicks, ${whole(few.installs)} installs, ${whole(few.events)} events; many: ${whole(many.clicks)}, ${whole(many.installs)}, ${whole(many.events)}, with one redirect every ${TAP_EVERY_MS} ms. Batch: ${BATCH_REQUESTS} requests for people without records, among many, until the last is completed.`,
    idleNote(measured.flatMap(({ rounds }) => rounds)),
    '',
    table(
      [
        'Database',
        'Among few',
        'Among many',
        'Many / few',
        `Batch of ${BATCH_REQUESTS}`,
        'p99 of redirects alone',
        'During / alone',
      ],
      lines,
    ),
    '',
  ].join('\n');
}
