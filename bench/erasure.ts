/**
 * What an erasure costs: how long it takes to erase a person with 5,000 records among few others and among ten times as
 * many, and what redirects feel of it.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { machine, median, percentile, quietness, spread, table, whole } from './markdown.ts';
import { fillPeople, type Population, RECORDS_OF_PERSON, userId } from './people.ts';
import { startPostgres } from './postgres.ts';
import { say } from './progress.ts';
import { machineIsQuiet } from './quiet.ts';
import { LIVE_KEY, type Service, startService } from './service.ts';
import { shortCode } from './visitors.ts';

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

const TAP_EVERY_MS = 2;
/** A key may ask so often only. */
const LOOK_EVERY_MS = 200;
const GIVE_UP_AFTER_MS = 60_000;
/** As many as a key may ask for in a minute; of people who left nothing: what remains is what each costs beside records. */
const TOGETHER = 30;
const MINUTE_MS = 60_000;
const FIRST_NOBODY = 1_000_000;

interface Side {
  readonly engine: string;
  readonly few: Service;
  readonly many: Service;
}

interface Measured {
  readonly engine: string;
  readonly rounds: readonly Round[];
  /** Of one try, among many. */
  readonly togetherMs: number;
}

interface Round {
  readonly beganQuiet: boolean;
  readonly fewMs: number;
  readonly manyMs: number;
  readonly aloneP99Ms: number;
  readonly besideP99Ms: number;
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
    say(`${engine}: filling`);
    await fillPeople(few, size.few);
    await fillPeople(many, size.many);
    const rounds = await measure({ engine, few, many }, size);
    measured.push({ engine, rounds, togetherMs: await eraseTogether(many) });
  }
  return report(measured, postgres.version, size);
}

async function measure({ engine, few, many }: Side, { rounds: count, taps }: Size): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round <= count; round++) {
    const beganQuiet = await machineIsQuiet();
    const fewMs = await erase(few, round);
    const aloneP99Ms = await tapsP99(many, (count) => count < taps);
    let isErased = false;
    const erasing = erase(many, round).finally(() => {
      isErased = true;
    });
    const besideP99Ms = await tapsP99(many, () => !isErased);
    const manyMs = await erasing;
    say(
      `${engine}, ${round === 0 ? 'warm-up' : `round ${round} of ${count}`}: erased in ${fewMs.toFixed(0)} and ${manyMs.toFixed(0)} ms; redirects p99 ${aloneP99Ms.toFixed(1)} alone, ${besideP99Ms.toFixed(1)} beside`,
    );
    if (round > 0) rounds.push({ beganQuiet, fewMs, manyMs, aloneP99Ms, besideP99Ms });
  }
  return rounds;
}

/** From the request to `completed`. */
async function erase(service: Service, person: number): Promise<number> {
  const startMs = performance.now();
  await completed(service, await requestErasure(service, person));
  return performance.now() - startMs;
}

/** Until the last of many requests is completed: as many as a key may make in a minute, so it makes none in the one before. */
async function eraseTogether(service: Service): Promise<number> {
  say(`a minute until ${TOGETHER} can be erased together`);
  await wait(MINUTE_MS);
  await machineIsQuiet();
  const startMs = performance.now();
  let last = '';
  for (let n = 0; n < TOGETHER; n++) last = await requestErasure(service, FIRST_NOBODY + n);
  await completed(service, last);
  return performance.now() - startMs;
}

const HEADERS = { 'x-api-key': LIVE_KEY, 'content-type': 'application/json' };

async function requestErasure({ port }: Service, person: number): Promise<string> {
  const body = JSON.stringify({ userId: userId(person) });
  const answer = await request(urlOf(port), { method: 'POST', headers: HEADERS, body });
  if (answer.statusCode !== 202) throw new Error(`an erasure was answered ${answer.statusCode}`);
  const { requestIds } = (await answer.body.json()) as { requestIds: [string] };
  return requestIds[0];
}

async function completed({ port }: Service, requestId: string): Promise<void> {
  const startMs = performance.now();
  for (;;) {
    const answer = await request(`${urlOf(port)}/${requestId}`, { headers: HEADERS });
    if (answer.statusCode !== 200) throw new Error(`an erasure's state was answered ${answer.statusCode}`);
    const { status } = (await answer.body.json()) as { status: string };
    if (status === 'completed') return;
    if (performance.now() - startMs > GIVE_UP_AFTER_MS) throw new Error('an erasure did not end');
    await wait(LOOK_EVERY_MS);
  }
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}/v1/privacy/erase`;
}

/** One tap every 2 ms, whether the last ones were answered or not. */
async function tapsP99({ port }: Service, goesOn: (count: number) => boolean): Promise<number> {
  const dispatcher = new Agent({ connections: 32 });
  const latenciesMs: number[] = [];
  const underWay: Promise<void>[] = [];
  for (let n = 0; goesOn(n); n++) {
    underWay.push(tap(port, n, dispatcher).then((ms) => void latenciesMs.push(ms)));
    await wait(TAP_EVERY_MS);
  }
  await Promise.all(underWay);
  await dispatcher.close();
  return percentile(latenciesMs, 0.99);
}

async function tap(port: number, n: number, dispatcher: Agent): Promise<number> {
  const startMs = performance.now();
  const headers = { 'x-forwarded-for': `10.${n % 200}.1.1`, 'user-agent': 'Mozilla/5.0 (iPhone)' };
  const answer = await request(`http://127.0.0.1:${port}/l/${shortCode(n % 10)}`, { headers, dispatcher });
  await answer.body.dump();
  if (answer.statusCode !== 302) throw new Error(`a tap was answered ${answer.statusCode}`);
  return performance.now() - startMs;
}

function report(
  measured: readonly Measured[],
  postgresVersion: string,
  { few, many, rounds: count }: Size,
): string {
  const lines = measured.map(({ engine, rounds, togetherMs }) => [
    engine,
    `${median(rounds.map(({ fewMs }) => fewMs)).toFixed(0)} ms`,
    `${median(rounds.map(({ manyMs }) => manyMs)).toFixed(0)} ms`,
    spread(rounds.map(({ fewMs, manyMs }) => manyMs / fewMs)),
    `${togetherMs.toFixed(0)} ms`,
    `${median(rounds.map(({ aloneP99Ms }) => aloneP99Ms)).toFixed(1)} ms`,
    spread(rounds.map(({ aloneP99Ms, besideP99Ms }) => besideP99Ms / aloneP99Ms)),
  ]);
  return [
    machine(postgresVersion),
    '',
    `Erasing a person with ${whole(RECORDS_OF_PERSON)} records by user ID, from the request to \`completed\`; medians of ${count} rounds, lowest and highest ratio in brackets.`,
    `Few: ${whole(few.clicks)} clicks, ${whole(few.installs)} installs, ${whole(few.events)} events; many: ${whole(many.clicks)}, ${whole(many.installs)}, ${whole(many.events)}, while redirects go on, one every ${TAP_EVERY_MS} ms. Together: ${TOGETHER} requests of people who left nothing, among many, until the last is completed.`,
    quietness(measured.flatMap(({ rounds }) => rounds)),
    '',
    table(
      [
        'Database',
        'Among few',
        'Among many',
        'Many / few',
        `${TOGETHER} together`,
        'p99 of redirects alone',
        'Beside / alone',
      ],
      lines,
    ),
    '',
  ].join('\n');
}
