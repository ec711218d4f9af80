/** What this process did in the last day, by quarter hour. In memory: a restart begins anew. */
import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { Foundation } from '../foundation.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { readSpace } from '../lib/free-space.ts';
import { startLoop } from '../lib/loop.ts';
import { TAP_ROUTE } from '../redirect/index.ts';
import { requestDurations } from '../server/metrics.ts';
import { attemptCounter } from '../webhooks/index.ts';
import { type Measured, type ProcessTotals, quartersBetween, sinceTotals } from './quarters.ts';

/** A day, and the quarter hour that is not over. */
const KEPT = 97;
export const QUARTER_MS = 15 * MINUTE_MS;
const CLIENT_ERROR = 400;
const SERVER_ERROR = 500;

/** A quarter hour of this process. */
export interface ProcessQuarter extends Measured {
  readonly atMs: number;
  /** The least at any minute of it; null where a failing disk does not tell. */
  readonly diskFreeBytes: number | null;
  /** The most at any minute of it. */
  readonly memoryBytes: number | null;
}

export interface History {
  /** The oldest first; the last is not over. */
  quarters(): Promise<readonly ProcessQuarter[]>;
  stop(): Promise<void>;
}

interface HistoryDeps extends Pick<Foundation, 'clock' | 'log' | 'metrics'> {
  readonly config: Pick<Config, 'dataDir'>;
}

/** Looks once a minute. */
export function createHistory({ clock, config, log, metrics }: HistoryDeps): History {
  const over: ProcessQuarter[] = [];
  let current = { ...NOTHING, atMs: quarterOf(clock.nowMs()) };
  let before = NO_TOTALS;

  // One at a time.
  const look = coalesce(async (): Promise<ProcessQuarter> => {
    const totals = await readTotals(metrics);
    const space = await readSpace(config.dataDir).catch(() => null);
    const startMs = quarterOf(clock.nowMs());
    // Everything since the last look belongs to the quarter hour before: it is a minute at most.
    current = { ...withLook(current, space?.freeBytes ?? null), ...sinceTotals(before, totals) };
    if (startMs > current.atMs) {
      const missed = quartersBetween(current.atMs, startMs, QUARTER_MS).slice(-KEPT);
      over.push(current, ...missed.map((atMs) => ({ ...NOTHING, atMs })));
      over.splice(0, over.length - KEPT + 1);
      before = totals;
      current = withLook({ ...NOTHING, atMs: startMs }, space?.freeBytes ?? null);
    }
    return current;
  });

  const loop = startLoop('health history', MINUTE_MS, log, async () => void (await look()), 0);
  return {
    async quarters() {
      const last = await look();
      return [...over, last];
    },
    stop: () => loop.stop(),
  };
}

const NO_TOTALS: ProcessTotals = { redirects: [], serverErrors: 0, deliveriesFailed: 0 };
/** Of a quarter hour in which this process did not run. */
export const NOTHING: Omit<ProcessQuarter, 'atMs'> = {
  ...{ redirects: 0, redirectP95Ms: null, serverErrors: 0, deliveriesFailed: 0 },
  ...{ diskFreeBytes: null, memoryBytes: null },
};

function quarterOf(ms: number): number {
  return ms - (ms % QUARTER_MS);
}

function withLook(quarter: ProcessQuarter, freeBytes: number | null): ProcessQuarter {
  const frees = [quarter.diskFreeBytes, freeBytes].filter((bytes) => bytes !== null);
  return {
    ...quarter,
    diskFreeBytes: frees.length === 0 ? null : Math.min(...frees),
    memoryBytes: Math.max(quarter.memoryBytes ?? 0, process.memoryUsage.rss()),
  };
}

async function readTotals(metrics: Registry): Promise<ProcessTotals> {
  const durations = requestDurations({ metrics }).totals();
  const redirects = durations
    .filter(({ route, status }) => route === TAP_ROUTE && status < CLIENT_ERROR)
    .map(({ counts }) => counts);
  const attempts = await attemptCounter({ metrics }).get();
  return {
    redirects: sumOf(redirects),
    serverErrors: durations
      .filter(({ status }) => status >= SERVER_ERROR)
      .flatMap(({ counts }) => counts)
      .reduce((sum, count) => sum + count, 0),
    deliveriesFailed: attempts.values.find(({ labels }) => labels.outcome === 'failed')?.value ?? 0,
  };
}

function sumOf(buckets: readonly (readonly number[])[]): number[] {
  const [first = []] = buckets;
  return first.map((_, bucket) => buckets.reduce((sum, counts) => sum + (counts[bucket] ?? 0), 0));
}
