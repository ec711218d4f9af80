import { setTimeout as wait } from 'node:timers/promises';
import { type CpuTime, cpuTimeOfEach } from './cpu-time.ts';
import type { LoadOrder, LoadResult } from './load.ts';
import { machineIsQuiet } from './quiet.ts';
import type { Server, Service } from './service.ts';
import type { Answers } from './visitors.ts';
import { startWorker } from './worker.ts';

/** The process that makes the load, one round after the other. */
export interface Load extends AsyncDisposable {
  /** @throws when anything else came back. */
  run(order: LoadOrder): Promise<LoadResult>;
}

export async function startLoad(): Promise<Load> {
  const worker = await startWorker<LoadOrder, LoadResult>('load.ts');
  return {
    async run(order) {
      const result = await worker.ask(order);
      if (result.errors > 0)
        throw new Error(
          `${result.errors} answers were others than expected; the first: ${result.firstError}`,
        );
      return result;
    },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}

/** How far the database was behind. */
export interface Lag {
  /** Rows that were missing when the last answer had come, and how long until they were there. */
  readonly rows: number;
  readonly ms: number;
}

export interface Round extends LoadResult {
  /** Whether nothing else kept the machine busy when it began. */
  readonly beganQuiet: boolean;
}

export interface ServiceRound {
  readonly load: Round;
  readonly lag: Lag;
  /** The greatest age that a click on disk and not in the database was seen to have. */
  readonly behindMs: number;
  /** Of each click. */
  readonly cpu: CpuTime | null;
}

const UNLIMITED = Number.MAX_SAFE_INTEGER;

export interface Pace {
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** As fast as answers come, where it is not given. */
  readonly perSecond?: number;
}

export async function bareRound(
  load: Load,
  { port }: Server,
  connections: number,
  pace: Pace,
  answers: Answers = 'redirects',
): Promise<Round> {
  const beganQuiet = await machineIsQuiet();
  const order = { perSecond: null, ...pace, answers, port, connections, maxRequests: UNLIMITED };
  return { ...(await load.run(order)), beganQuiet };
}

/** Ends when every click is in the database, so that the next round has the machine for itself. */
export async function serviceRound(
  load: Load,
  service: Service,
  connections: number,
  pace: Pace,
  answers: Answers = 'redirects',
): Promise<ServiceRound> {
  const [startMs, cpuBefore] = [Date.now(), await service.cpuTime()];
  const behind = watchBehind(service);
  const result = await bareRound(load, service, connections, pace, answers).finally(behind.stop);
  const lag = await waitUntilApplied(service, startMs, result.answers);
  const cpu = cpuTimeOfEach(cpuBefore, await service.cpuTime(), result.answers);
  return { load: result, lag, behindMs: await behind.greatestMs, cpu };
}

const LOOK_BEHIND_EVERY_MS = 200;

/** Looks how far the database is behind until it is stopped. */
function watchBehind({ behindMs }: Service): { stop: () => void; greatestMs: Promise<number> } {
  let isStopped = false;
  async function watch(): Promise<number> {
    let greatestMs = 0;
    while (!isStopped) {
      greatestMs = Math.max(greatestMs, await behindMs());
      await wait(LOOK_BEHIND_EVERY_MS);
    }
    return greatestMs;
  }
  return {
    stop: () => {
      isStopped = true;
    },
    greatestMs: watch(),
  };
}

const FIXED_LOAD_CONNECTIONS = 64;
const FIXED_LOAD_WITHIN_MS = 10 * 60_000;

/** So many clicks, however long they take. */
export async function click(load: Load, service: Service, clicks: number): Promise<void> {
  const startMs = Date.now();
  const { answers: clicked } = await load.run({
    answers: 'redirects',
    port: service.port,
    connections: FIXED_LOAD_CONNECTIONS,
    warmUpMs: 0,
    measureMs: FIXED_LOAD_WITHIN_MS,
    maxRequests: clicks,
    perSecond: null,
  });
  await waitUntilApplied(service, startMs, clicked);
}

const POLL_MS = 50;
const APPLY_WITHIN_MS = 120_000;

/** @throws when the clicks since `startMs` do not come to be exactly `expected`. */
export async function waitUntilApplied({ clicks }: Service, startMs: number, expected: number): Promise<Lag> {
  const stoppedMs = performance.now();
  const first = await clicks.count(startMs);
  for (let count = first; ; count = await clicks.count(startMs)) {
    const ms = performance.now() - stoppedMs;
    if (count === expected) return { rows: expected - first, ms };
    if (count > expected || ms > APPLY_WITHIN_MS)
      throw new Error(`${expected} answers were received, but the database has ${count} clicks`);
    await wait(POLL_MS);
  }
}
