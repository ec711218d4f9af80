/** Rounds of taps against a server. */
import { setTimeout as wait } from 'node:timers/promises';
import { type CpuTime, cpuTimePerItem } from '../lib/cpu-time.ts';
import { countClicks } from '../lib/database.ts';
import type { Load, LoadOrder, LoadResult } from '../lib/load.ts';
import { waitForIdleMachine } from '../lib/machine-load.ts';
import type { Server, Service } from '../lib/service.ts';
import type { TapKind } from '../lib/visitors.ts';

export interface LoadRound extends LoadResult {
  readonly wasIdle: boolean;
}

export interface ServiceRound {
  readonly load: LoadRound;
  readonly lag: Lag;
  /** Highest age of a click that was in the journal but not in the database. */
  readonly behindMs: number;
  /** Per click. */
  readonly cpu: CpuTime | null;
}

interface Lag {
  /** Clicks missing in the database after the last response, and the time until they were there. */
  readonly rows: number;
  readonly ms: number;
}

export interface Pace {
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Undefined for as fast as responses arrive. */
  readonly perSecond?: number;
}

export async function bareRound(
  load: Load,
  server: Server,
  connections: number,
  pace: Pace,
  taps: TapKind = 'redirects',
): Promise<LoadRound> {
  const wasIdle = await waitForIdleMachine();
  return { ...(await load.run(orderOf(server, connections, pace, taps))), wasIdle };
}

/** As fast as responses arrive. */
export function orderOf(
  { port }: Server,
  connections: number,
  pace: Pace,
  taps: TapKind = 'redirects',
): LoadOrder {
  return { perSecond: null, ...pace, taps, port, connections, maxRequests: Number.MAX_SAFE_INTEGER };
}

/** Ends when all clicks are in the database, so that the next round is not affected. */
export async function serviceRound(
  load: Load,
  service: Service,
  connections: number,
  pace: Pace,
  taps: TapKind = 'redirects',
): Promise<ServiceRound> {
  const [startMs, cpuBefore] = [Date.now(), await service.cpuTime()];
  const lagWatch = watchLag(service);
  const result = await bareRound(load, service, connections, pace, taps).finally(lagWatch.stop);
  const lag = await waitUntilApplied(service, startMs, result.responses);
  const cpu = cpuTimePerItem(cpuBefore, await service.cpuTime(), result.responses);
  return { load: result, lag, behindMs: await lagWatch.highestMs, cpu };
}

const LAG_SAMPLE_MS = 200;

function watchLag(service: Service): { stop: () => void; highestMs: Promise<number> } {
  let isStopped = false;
  async function watch(): Promise<number> {
    let highestMs = 0;
    while (!isStopped) {
      highestMs = Math.max(highestMs, (await service.metrics())('throughline_clicks_behind_seconds') * 1_000);
      await wait(LAG_SAMPLE_MS);
    }
    return highestMs;
  }
  return {
    stop: () => {
      isStopped = true;
    },
    highestMs: watch(),
  };
}

const FIXED_LOAD_CONNECTIONS = 64;
const FIXED_LOAD_TIMEOUT_MS = 10 * 60_000;

/** Sends a fixed number of clicks. */
export async function sendClicks(load: Load, service: Service, clicks: number): Promise<void> {
  const startMs = Date.now();
  const { responses } = await load.run({
    taps: 'redirects',
    port: service.port,
    connections: FIXED_LOAD_CONNECTIONS,
    warmUpMs: 0,
    measureMs: FIXED_LOAD_TIMEOUT_MS,
    maxRequests: clicks,
    perSecond: null,
  });
  await waitUntilApplied(service, startMs, responses);
}

const POLL_MS = 50;
const APPLY_TIMEOUT_MS = 120_000;

/** @throws unless the database gets exactly `expected` clicks since `startMs`. */
export async function waitUntilApplied({ reader }: Service, startMs: number, expected: number): Promise<Lag> {
  const stoppedMs = performance.now();
  const first = await countClicks(reader, startMs);
  for (let count = first; ; count = await countClicks(reader, startMs)) {
    const ms = performance.now() - stoppedMs;
    if (count === expected) return { rows: expected - first, ms };
    if (count > expected || ms > APPLY_TIMEOUT_MS)
      throw new Error(`${expected} responses were received, but the database has ${count} clicks`);
    await wait(POLL_MS);
  }
}
