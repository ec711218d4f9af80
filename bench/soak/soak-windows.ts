/** Windows of a soak, and the rules by which the service counts as stable. */
import { median } from '../lib/markdown.ts';
import type { Latency } from './mixed-load.ts';
import type { ServiceStats } from './service-stats.ts';
import type { SyncedWrites } from './synced-writes.ts';

export interface Window {
  readonly stats: readonly ServiceStats[];
  readonly latencies: readonly Latency[];
  readonly disk: SyncedWrites;
}

/** Without the warm-up. */
export interface Windows {
  readonly all: readonly Window[];
  readonly first: Window;
  readonly middle: Window;
  readonly last: Window;
}

/** @throws for an empty list. */
export function toWindows(all: readonly Window[]): Windows {
  const [first, middle, last] = [all[0], all[all.length >> 1], all.at(-1)];
  if (first === undefined || middle === undefined || last === undefined)
    throw new Error('no window was measured');
  return { all, first, middle, last };
}

export interface Verdict {
  readonly rule: string;
  readonly found: string;
  /** Null if the run is too short. */
  readonly isMet: boolean | null;
}

/** Relative to the mean. */
const MAX_GROWTH_PER_HOUR = 0.05;
/** In less time, a garbage collection looks like a trend. */
const MIN_TREND_MS = 20 * 60_000;
const MAX_ADDITIONAL = 5;
const MAX_SLOWDOWN = 1.5;
const MAX_BEHIND_MS = 1_000;
/** Minimum calls in a window for a meaningful percentile. */
const MIN_CALLS_FOR_P99 = 500;
const MIN_CALLS_FOR_P50 = 25;

export function judge(windows: Windows): Verdict[] {
  return [
    growth('Resident memory', windows, ({ stats }) =>
      stats.map(({ atMs, residentMb }) => ({ atMs, value: residentMb })),
    ),
    // The lowest value is after a garbage collection.
    growth('Heap, lowest of each window', windows, ({ stats }) => [
      stats
        .map(({ atMs, heapMb }) => ({ atMs, value: heapMb }))
        .reduce((lowest, point) => (point.value < lowest.value ? point : lowest)),
    ]),
    noGrowth('Descriptors', windows, 'descriptors'),
    noGrowth('Handles', windows, 'handles'),
    ...(highest(windows.last, 'connections') > 0
      ? [noGrowth('Connections to PostgreSQL', windows, 'connections')]
      : []),
    behind(windows),
    ...windows.last.latencies.map(({ kind }) => slowdown(kind, windows)),
    lag(windows),
  ];
}

/** In the second half of the run. */
function growth(name: string, { all }: Windows, points: (window: Window) => Point[]): Verdict {
  const half = all.slice(all.length >> 1).flatMap(points);
  const { perHour, level } = trendOf(half);
  const isShort = (half.at(-1)?.atMs ?? 0) - (half[0]?.atMs ?? 0) < MIN_TREND_MS;
  return {
    rule: `${name}: below ${MAX_GROWTH_PER_HOUR * 100} % an hour in the second half`,
    found: `${((perHour / level) * 100).toFixed(1)} % of ${level.toFixed(0)} MB`,
    isMet: isShort ? null : perHour / level < MAX_GROWTH_PER_HOUR,
  };
}

export function lowest({ stats }: Window, field: keyof ServiceStats): number {
  return Math.min(...stats.map((sample) => sample[field]));
}

export function highest({ stats }: Window, field: keyof ServiceStats): number {
  return Math.max(...stats.map((sample) => sample[field]));
}

export function medianOf({ stats }: Window, field: keyof ServiceStats): number {
  return median(stats.map((sample) => sample[field]));
}

function noGrowth(name: string, { first, last }: Windows, field: keyof ServiceStats): Verdict {
  const [before, now] = [lowest(first, field), lowest(last, field)];
  return {
    rule: `${name}, lowest of a window: at most ${MAX_ADDITIONAL} more in the last than in the first`,
    found: `${before}, then ${now}`,
    isMet: now <= before + MAX_ADDITIONAL,
  };
}

function behind({ all }: Windows): Verdict {
  const ms = Math.max(...all.map((window) => highest(window, 'behindMs')));
  return {
    rule: `The database is never more than ${MAX_BEHIND_MS / 1_000} s behind the clicks on disk`,
    found: `${ms.toFixed(0)} ms at most`,
    isMet: ms <= MAX_BEHIND_MS,
  };
}

export function latencyOf({ latencies }: Window, kind: Latency['kind']): Latency | undefined {
  return latencies.find((latency) => latency.kind === kind);
}

function slowdown(kind: Latency['kind'], { first, last }: Windows): Verdict {
  const [before, now] = [latencyOf(first, kind), latencyOf(last, kind)];
  const calls = Math.min(before?.calls ?? 0, now?.calls ?? 0);
  const isFrequent = calls >= MIN_CALLS_FOR_P99;
  const ratio = isFrequent
    ? (now?.p99Ms ?? Number.NaN) / (before?.p99Ms ?? Number.NaN)
    : (now?.p50Ms ?? Number.NaN) / (before?.p50Ms ?? Number.NaN);
  const verdict = slowdownVerdict(`${kind}, ${isFrequent ? 'p99' : 'p50'}`, ratio);
  return calls < MIN_CALLS_FOR_P50 ? { ...verdict, isMet: null } : verdict;
}

function lag({ first, last }: Windows): Verdict {
  const ratio = medianOf(last, 'loopLagP99Ms') / medianOf(first, 'loopLagP99Ms');
  return slowdownVerdict('Event loop lag, p99', ratio);
}

function slowdownVerdict(name: string, ratio: number): Verdict {
  return {
    rule: `${name}: last window at most ${MAX_SLOWDOWN} times the first`,
    found: ratio.toFixed(2),
    isMet: ratio <= MAX_SLOWDOWN,
  };
}

interface Point {
  readonly atMs: number;
  readonly value: number;
}

const HOUR_MS = 3_600_000;

/** Linear regression by least squares; NaN for fewer than two points. */
function trendOf(points: readonly Point[]): { perHour: number; level: number } {
  const atMs = mean(points.map((point) => point.atMs));
  const level = mean(points.map(({ value }) => value));
  const covariance = mean(points.map((point) => (point.atMs - atMs) * (point.value - level)));
  const variance = mean(points.map((point) => (point.atMs - atMs) ** 2));
  return { perHour: (covariance / variance) * HOUR_MS, level };
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}
