/** Differences of totals, and what they tell of a quarter hour. Pure. */
import { BUCKETS_SECONDS } from '../server/metrics.ts';

/** Since the start of the process. */
export interface ProcessTotals {
  /** By bucket of their duration. */
  readonly redirects: readonly number[];
  readonly serverErrors: number;
  readonly deliveriesFailed: number;
}

export interface Measured {
  readonly redirects: number;
  /** 95 of 100 took no longer; null without redirects. */
  readonly redirectP95Ms: number | null;
  readonly serverErrors: number;
  readonly deliveriesFailed: number;
}

export function sinceTotals(before: ProcessTotals, now: ProcessTotals): Measured {
  const redirects = now.redirects.map((count, bucket) => count - (before.redirects[bucket] ?? 0));
  return {
    redirects: redirects.reduce((sum, count) => sum + count, 0),
    redirectP95Ms: percentileMs(redirects, 0.95),
    serverErrors: now.serverErrors - before.serverErrors,
    deliveriesFailed: now.deliveriesFailed - before.deliveriesFailed,
  };
}

/** Within its bucket by even spread; the end of the last one that ends for what took longer. Null without counts. */
export function percentileMs(counts: readonly number[], share: number): number | null {
  const wanted = counts.reduce((sum, count) => sum + count, 0) * share;
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= wanted) {
      const start = BUCKETS_SECONDS[bucket - 1] ?? 0;
      const end = BUCKETS_SECONDS[bucket] ?? start;
      return round((start + ((wanted - below) / count) * (end - start)) * 1_000);
    }
    below += count;
  }
  return null;
}

/** The quarter hours after one and before another. */
export function quartersBetween(afterMs: number, beforeMs: number, quarterMs: number): number[] {
  const count = Math.max(0, (beforeMs - afterMs) / quarterMs - 1);
  return Array.from({ length: count }, (_, index) => afterMs + (index + 1) * quarterMs);
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
