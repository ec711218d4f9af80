/** Where a figure is heading. */
export interface Point {
  readonly atMs: number;
  readonly value: number;
}

interface Trend {
  /** By least squares. */
  readonly perHour: number;
  /** The mean. */
  readonly level: number;
}

const HOUR_MS = 3_600_000;

/** NaN where there are fewer than two points. */
export function trendOf(points: readonly Point[]): Trend {
  const atMs = mean(points.map((point) => point.atMs));
  const level = mean(points.map(({ value }) => value));
  const together = sum(points.map((point) => (point.atMs - atMs) * (point.value - level)));
  const square = sum(points.map((point) => (point.atMs - atMs) ** 2));
  return { perHour: (together / square) * HOUR_MS, level };
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
