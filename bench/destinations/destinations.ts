/**
 * Destinations of an app, one of three dead: nothing lost, how far the living ones are behind, and what it costs to record.
 * Recording is compared with a service without destinations, in turns; then events arrive at a pace.
 */
import type { CallOrder, CallResult } from '../lib/caller.ts';
import { countEvents } from '../lib/database.ts';
import { waitForIdleMachine } from '../lib/machine-load.ts';
import { recordOrganicInstalls } from '../lib/phones.ts';
import { startPostgres } from '../lib/postgres.ts';
import { callApi, type Service, startService } from '../lib/service.ts';
import { startWorker, type Worker } from '../lib/worker.ts';
import { report } from './destinations-report.ts';
import type { LoadOrder, LoadResult } from './event-load.ts';
import type { Arrived, NetworksOrder } from './networks.ts';
import { type Rows, readRows } from './rows.ts';
import { BATCH, HANGING, LIVING } from './shared.ts';

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

export interface DestinationsOptions {
  readonly isQuick: boolean;
  /** At the pace; null for a million. */
  readonly events: number | null;
  /** Events a second; null for 5,000, or 500 with `isSingle`. */
  readonly pace: number | null;
  /** Null for both. */
  readonly engine: string | null;
  /** What the dead one does. */
  readonly dead: 'refuses' | 'hangs';
  /** Destinations that take one record a call. */
  readonly isSingle: boolean;
}

export interface Plan extends Pick<DestinationsOptions, 'dead' | 'isSingle'> {
  readonly rounds: number;
  /** Of a round on one side. */
  readonly roundCalls: number;
  readonly pacedCalls: number;
  readonly perSecond: number;
}

interface Turn {
  readonly withPerSecond: number;
  /** With destinations that never answer: records are stored for them, and hardly any are sent. */
  readonly waitingPerSecond: number;
  readonly withoutPerSecond: number;
  readonly wasIdle: boolean;
  /** From the last answer until both living ones had everything. */
  readonly catchUpMs: number;
}

export interface Measured {
  readonly engine: string;
  readonly turns: readonly Turn[];
  /** By living destination. */
  readonly living: readonly {
    readonly behindMs: readonly number[];
    readonly repeated: number;
    readonly calls: number;
  }[];
  /** What the pace was. */
  readonly perSecond: number;
  readonly catchUpMs: number;
  readonly residentMb: readonly number[];
  readonly events: number;
  readonly rows: Rows;
}

const CONNECTIONS = 4;
/** Each may have 10,000 events a day. */
const EVENTS_OF_INSTALL = 5_000;
const CATCH_UP_TIMEOUT_MS = 600_000;
const QUARTERS = 4;
const MB = 2 ** 20;

type Load = Worker<LoadOrder, LoadResult>;
type Networks = Worker<NetworksOrder, Arrived>;

export async function benchDestinations(options: DestinationsOptions): Promise<string> {
  const plan = planOf(options);
  await using postgres = await startPostgres();
  const measured: Measured[] = [];
  for (const [key, engine] of Object.entries(ENGINES)) {
    if (options.engine !== null && options.engine !== key) continue;
    const urlOf = async (name: string) => (key === 'sqlite' ? null : await postgres.createDatabase(name));
    measured.push(
      await measure(engine, plan, {
        with: await urlOf('with_some'),
        waiting: await urlOf('waiting'),
        without: await urlOf('without'),
      }),
    );
  }
  return report(measured, plan, postgres.version);
}

function planOf({ isQuick, events, pace, dead, isSingle }: DestinationsOptions): Plan {
  const pacedCalls = Math.ceil((events ?? (isQuick ? 10_000 : 1_000_000)) / BATCH / QUARTERS) * QUARTERS;
  const perSecond = pace ?? (isSingle ? 500 : 5_000);
  const roundCalls = isQuick ? 4 : isSingle ? 10 : 40;
  return { dead, isSingle, rounds: isQuick ? 1 : 5, roundCalls, pacedCalls, perSecond };
}

interface Side {
  readonly service: Service;
  readonly installIds: readonly string[];
  /** Recorded so far. */
  calls: number;
}

async function measure(
  engine: string,
  plan: Plan,
  databases: Readonly<Record<'with' | 'waiting' | 'without', string | null>>,
): Promise<Measured> {
  const { rounds, roundCalls, pacedCalls } = plan;
  const settings = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };
  await using networks: Networks = await startWorker('destinations/networks.ts');
  await using load: Load = await startWorker('destinations/event-load.ts');
  await using withThem = await startService(databases.with, settings);
  await using waiting = await startService(databases.waiting, settings);
  await using without = await startService(databases.without, settings);
  const calls = (rounds + 1) * roundCalls + pacedCalls;
  const sideOf = async (service: Service): Promise<Side> => {
    const installs = Math.ceil((calls * BATCH) / EVENTS_OF_INSTALL) + CONNECTIONS;
    await using caller = await startWorker<CallOrder, CallResult>('lib/caller.ts');
    return { service, installIds: await recordOrganicInstalls(caller, service, installs), calls: 0 };
  };
  const sides = {
    with: await sideOf(withThem),
    waiting: await sideOf(waiting),
    without: await sideOf(without),
  };
  const { port } = await networks.run({ kind: 'begin', events: calls * BATCH });
  const deadId = await createDestinations(withThem, port, plan);
  await createDestinations(waiting, port, { ...plan, dead: 'hangs', livingNames: [HANGING, HANGING] });
  const turns = await takeTurns({ engine, load, networks, plan, sides });
  const paced = await recordAtPace({ engine, load, networks, plan, side: sides.with });
  const events = await countEvents(withThem.reader);
  if (events !== calls * BATCH)
    throw new Error(`${engine}: ${calls * BATCH} events were acknowledged, ${events} are stored`);
  return { engine, turns, ...paced, events, rows: await readRows(withThem.reader, deadId) };
}

/** @returns the id of the dead one. */
async function createDestinations(
  service: Service,
  port: number,
  {
    dead,
    isSingle,
    livingNames = LIVING,
  }: Pick<Plan, 'dead' | 'isSingle'> & { livingNames?: readonly string[] },
): Promise<string> {
  const alive = `http://127.0.0.1:${port}`;
  // Nothing listens on port 1.
  const deadUrl = dead === 'refuses' ? 'http://127.0.0.1:1' : `${alive}/${HANGING}`;
  const [first, second] = livingNames.map((name) => `${alive}/${name}`);
  const http = (url = '') => ({ type: 'http', config: { url: `${url}/`, body: { n: '{{properties.n}}' } } });
  const batches = [
    { type: 'segment', config: { writeKey: 'key', baseUrl: first } },
    { type: 'posthog', config: { projectKey: 'phc_key', baseUrl: second } },
    { type: 'segment', config: { writeKey: 'key', baseUrl: deadUrl } },
  ];
  const all = isSingle ? [http(first), http(second), http(deadUrl)] : batches;
  const ids: string[] = [];
  for (const [index, destination] of all.entries()) {
    const body = { ...destination, name: `Destination ${index + 1}`, events: ['event'] };
    ids.push((await callApi<{ id: string }>(service, 'POST', '/v1/destinations', body)).id);
  }
  return ids.at(-1) ?? '';
}

interface Running {
  readonly engine: string;
  readonly load: Load;
  readonly networks: Networks;
  readonly plan: Plan;
}

/** As fast as calls are answered. The first round warms up. */
async function takeTurns(
  running: Running & { sides: Record<'with' | 'waiting' | 'without', Side> },
): Promise<Turn[]> {
  const { engine, plan, sides } = running;
  const turns: Turn[] = [];
  for (let round = 0; round <= plan.rounds; round++) {
    const wasIdle = await waitForIdleMachine();
    const without = await recordCalls(running, sides.without, { calls: plan.roundCalls, perSecond: null });
    const waiting = await recordCalls(running, sides.waiting, { calls: plan.roundCalls, perSecond: null });
    const withThem = await recordCalls(running, sides.with, { calls: plan.roundCalls, perSecond: null });
    const { catchUpMs } = await catchUp(running, sides.with, withThem);
    const turn = {
      withPerSecond: perSecond(withThem),
      waitingPerSecond: perSecond(waiting),
      withoutPerSecond: perSecond(without),
      wasIdle,
      catchUpMs,
    };
    console.error(`${engine}, round ${round} of ${plan.rounds}: ${JSON.stringify(turn)}`);
    if (round > 0) turns.push(turn);
  }
  return turns;
}

async function recordCalls(
  { load }: Running,
  side: Side,
  { calls, perSecond }: { calls: number; perSecond: number | null },
): Promise<LoadResult> {
  const firstCall = side.calls;
  side.calls += calls;
  const { installIds, service } = side;
  return await load.run({
    port: service.port,
    connections: CONNECTIONS,
    ...{ installIds, firstCall, calls, perSecond },
  });
}

function perSecond({ answeredMs, elapsedMs }: LoadResult): number {
  return ((answeredMs.length * BATCH) / elapsedMs) * 1_000;
}

/** @throws if an event is missing at a living destination. */
async function catchUp(
  { engine, networks }: Running,
  { calls }: Side,
  { answeredMs }: LoadResult,
): Promise<Arrived & { catchUpMs: number }> {
  const events = calls * BATCH;
  const arrived = await networks.run({ kind: 'await', events, timeoutMs: CATCH_UP_TIMEOUT_MS });
  for (const [index, each] of arrived.networks.entries())
    if (each.events !== events)
      throw new Error(`${engine}: ${LIVING[index]} has ${each.events} of ${events} events`);
  const last = arrived.networks.flatMap(({ arrivedMs }) => arrivedMs.slice(-answeredMs.length));
  return { ...arrived, catchUpMs: Math.max(0, highest(last) - highest(answeredMs)) };
}

async function recordAtPace(
  running: Running & { side: Side },
): Promise<Pick<Measured, 'living' | 'perSecond' | 'catchUpMs' | 'residentMb'>> {
  const { engine, plan, side } = running;
  const residentMb = [await readResidentMb(side.service)];
  const answeredMs: number[] = [];
  let elapsedMs = 0;
  const firstCall = side.calls;
  for (let quarter = 1; quarter <= QUARTERS; quarter++) {
    const calls = plan.pacedCalls / QUARTERS;
    const result = await recordCalls(running, side, { calls, perSecond: plan.perSecond });
    answeredMs.push(...result.answeredMs);
    elapsedMs += result.elapsedMs;
    residentMb.push(await readResidentMb(side.service));
    console.error(
      `${engine}, quarter ${quarter}: ${residentMb.at(-1)?.toFixed(0)} MB, ${perSecond(result).toFixed(0)}/s`,
    );
  }
  const { networks, catchUpMs } = await catchUp(running, side, { answeredMs, elapsedMs });
  const living = networks.map(({ arrivedMs, repeated, calls }) => {
    const behindMs = answeredMs.map((at, call) => Math.max(0, (arrivedMs[firstCall + call] ?? 0) - at));
    return { behindMs, repeated, calls };
  });
  residentMb.push(await readResidentMb(side.service));
  return { living, perSecond: perSecond({ answeredMs, elapsedMs }), catchUpMs, residentMb };
}

async function readResidentMb(service: Service): Promise<number> {
  const metric = await service.metrics();
  return metric('process_resident_memory_bytes') / MB;
}

function highest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
