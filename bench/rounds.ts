import { setTimeout as wait } from 'node:timers/promises';
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

/** How far the database was behind when the last answer had come. */
export interface Lag {
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
}

const UNLIMITED = Number.MAX_SAFE_INTEGER;

export interface Pace {
  readonly warmUpMs: number;
  readonly measureMs: number;
}

export async function bareRound(
  load: Load,
  { port }: Server,
  connections: number,
  pace: Pace,
  answers: Answers = 'redirects',
): Promise<Round> {
  const beganQuiet = await machineIsQuiet();
  return { ...(await load.run({ ...pace, answers, port, connections, maxRequests: UNLIMITED })), beganQuiet };
}

/** Ends when every click is in the database, so that the next round has the machine for itself. */
export async function serviceRound(
  load: Load,
  service: Service,
  connections: number,
  pace: Pace,
  answers: Answers = 'redirects',
): Promise<ServiceRound> {
  const startMs = Date.now();
  const result = await bareRound(load, service, connections, pace, answers);
  return { load: result, lag: await waitUntilApplied(service, startMs, result.answers) };
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
