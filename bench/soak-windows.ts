/** A soak cut into windows of equal length, what was seen in each, and what that says of whether the service stays as it is. */
import { median } from './markdown.ts';
import type { Latency } from './mixed-load.ts';
import type { SyncedWrites } from './synced-writes.ts';
import { type Point, trendOf } from './trend.ts';
import type { Vitals } from './vitals.ts';

export interface Window {
  readonly vitals: readonly Vitals[];
  readonly latencies: readonly Latency[];
  /** What the disk took meanwhile for the least that a tap waits for. */
  readonly disk: SyncedWrites;
}

/** After the warm-up. */
export interface Windows {
  readonly all: readonly Window[];
  readonly first: Window;
  readonly middle: Window;
  readonly last: Window;
}

/** @throws when there are none. */
export function inOrder(all: readonly Window[]): Windows {
  const [first, middle, last] = [all[0], all[all.length >> 1], all.at(-1)];
  if (first === undefined || middle === undefined || last === undefined)
    throw new Error('there is no window to judge');
  return { all, first, middle, last };
}

/** Null where the run does not show it. */
export interface Verdict {
  readonly rule: string;
  readonly found: string;
  readonly isKept: boolean | null;
}

/** Of the level after the warm-up. */
const MAX_GROWTH_PER_HOUR = 0.05;
/** Over less, the noise of a garbage collection looks like a trend. */
const MIN_TREND_MS = 20 * 60_000;
const MAX_MORE_HELD = 5;
const MAX_TIMES_SLOWER = 1.5;
const MAX_BEHIND_MS = 1_000;
/** Of fewer calls in a window, p99 is that of a few; of still fewer, p50 is too. */
const P99_OF_CALLS = 500;
const P50_OF_CALLS = 25;

export function judge(windows: Windows): Verdict[] {
  return [
    growth('Resident memory', windows, ({ vitals }) =>
      vitals.map(({ atMs, residentMb }) => ({ atMs, value: residentMb })),
    ),
    // Of the heap, what is left after a collection; the rest is garbage.
    growth('Heap, lowest of each window', windows, ({ vitals }) => [
      vitals
        .map(({ atMs, heapMb }) => ({ atMs, value: heapMb }))
        .reduce((lowest, point) => (point.value < lowest.value ? point : lowest)),
    ]),
    held('Descriptors', windows, 'descriptors'),
    held('Handles', windows, 'handles'),
    ...(highest(windows.last, 'connections') > 0
      ? [held('Connections to PostgreSQL', windows, 'connections')]
      : []),
    behind(windows),
    ...windows.last.latencies.map(({ kind }) => slower(kind, windows)),
    lag(windows),
  ];
}

/** By the second half of the run. */
function growth(what: string, { all }: Windows, points: (window: Window) => Point[]): Verdict {
  const half = all.slice(all.length >> 1).flatMap(points);
  const { perHour, level } = trendOf(half);
  const isShort = (half.at(-1)?.atMs ?? 0) - (half[0]?.atMs ?? 0) < MIN_TREND_MS;
  return {
    rule: `${what}: below ${MAX_GROWTH_PER_HOUR * 100} % an hour in the second half`,
    found: `${((perHour / level) * 100).toFixed(1)} % of ${level.toFixed(0)} MB`,
    isKept: isShort ? null : perHour / level < MAX_GROWTH_PER_HOUR,
  };
}

/** By the quietest moment of a window: what is held then is held on to. */
export function lowest({ vitals }: Window, of: keyof Vitals): number {
  return Math.min(...vitals.map((moment) => moment[of]));
}

export function highest({ vitals }: Window, of: keyof Vitals): number {
  return Math.max(...vitals.map((moment) => moment[of]));
}

export function middleOf({ vitals }: Window, of: keyof Vitals): number {
  return median(vitals.map((moment) => moment[of]));
}

function held(what: string, { first, last }: Windows, of: keyof Vitals): Verdict {
  const [before, now] = [lowest(first, of), lowest(last, of)];
  return {
    rule: `${what}, lowest of a window: at most ${MAX_MORE_HELD} more in the last than in the first`,
    found: `${before}, then ${now}`,
    isKept: now <= before + MAX_MORE_HELD,
  };
}

function behind({ all }: Windows): Verdict {
  const ms = Math.max(...all.map((window) => highest(window, 'behindMs')));
  return {
    rule: `The database is never more than ${MAX_BEHIND_MS / 1_000} s behind the clicks on disk`,
    found: `${ms.toFixed(0)} ms at most`,
    isKept: ms <= MAX_BEHIND_MS,
  };
}

export function latencyOf({ latencies }: Window, kind: Latency['kind']): Latency | undefined {
  return latencies.find((latency) => latency.kind === kind);
}

function slower(kind: Latency['kind'], { first, last }: Windows): Verdict {
  const [before, now] = [latencyOf(first, kind), latencyOf(last, kind)];
  const calls = Math.min(before?.calls ?? 0, now?.calls ?? 0);
  const isOften = calls >= P99_OF_CALLS;
  const ratio = isOften
    ? (now?.p99Ms ?? Number.NaN) / (before?.p99Ms ?? Number.NaN)
    : (now?.p50Ms ?? Number.NaN) / (before?.p50Ms ?? Number.NaN);
  const verdict = timesSlower(`${kind}, ${isOften ? 'p99' : 'p50'}`, ratio);
  return calls < P50_OF_CALLS ? { ...verdict, isKept: null } : verdict;
}

function lag({ first, last }: Windows): Verdict {
  const ratio = middleOf(last, 'loopLagP99Ms') / middleOf(first, 'loopLagP99Ms');
  return timesSlower('Lag of the event loop, p99', ratio);
}

function timesSlower(what: string, ratio: number): Verdict {
  return {
    rule: `${what}: last window at most ${MAX_TIMES_SLOWER} times the first`,
    found: ratio.toFixed(2),
    isKept: ratio <= MAX_TIMES_SLOWER,
  };
}
