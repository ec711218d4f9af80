import { monotonicMs, SECOND_MS, systemClock } from '../../lib/clock.ts';
import type { RecordChunks } from '../../records/formats.ts';
import { noProgress, progressBar, showProgress } from '../output.ts';
import type { ExportOptions } from './options.ts';

const REPORT_EVERY_MS = 200;

/**
 * Passes the records on and shows how much of the period they cover, as they are in order of time. Their number is not
 * known before: to count them would read as much as to export them.
 */
export async function* withProgress(
  records: RecordChunks,
  { kind, timeField, query, quiet }: ExportOptions,
): AsyncGenerator<readonly object[]> {
  const progress = quiet ? noProgress : showProgress();
  const startedMs = monotonicMs();
  const endMs = Math.min(query.to === undefined ? Infinity : Date.parse(query.to), systemClock.nowMs());
  let beginMs = query.from === undefined ? null : Date.parse(query.from);
  let reportedMs = startedMs;
  let count = 0;
  try {
    for await (const items of records) {
      yield items;
      count += items.length;
      const atMs = timeOf(items.at(-1), timeField);
      beginMs ??= timeOf(items[0], timeField);
      const nowMs = monotonicMs();
      if (nowMs - reportedMs < REPORT_EVERY_MS) continue;
      reportedMs = nowMs;
      const share = (atMs - beginMs) / Math.max(endMs - beginMs, 1);
      progress.report(describeProgress({ kind, count, share, seconds: (nowMs - startedMs) / SECOND_MS }));
    }
  } finally {
    progress.end();
  }
}

function timeOf(record: object | undefined, field: string): number {
  return Date.parse(String((record as Record<string, unknown> | undefined)?.[field]));
}

/** @param share of the period, 0 to 1. */
export function describeProgress({
  kind,
  count,
  share,
  seconds,
}: {
  kind: string;
  count: number;
  share: number;
  seconds: number;
}): string {
  const rate = Math.round(count / Math.max(seconds, 0.001));
  return `${progressBar(share)} of the period, ${grouped(count)} ${kind}, ${grouped(rate)} a second`;
}

/** `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
