/** The numbers of a period, as the console names and compares them. */
import type { RevenueSum, StatsMetrics } from '@generated/types.gen.ts';
import type { RecordKind } from '../components/mark.tsx';
import { formatCount, formatMoney, formatShare } from '../formats.ts';

export const METRICS = ['clicks', 'installs', 'attributed', 'opens', 'events', 'revenue'] as const;
export type Metric = (typeof METRICS)[number];

export const METRIC_NAMES: Readonly<Record<Metric, string>> = {
  clicks: 'Clicks',
  installs: 'Installs',
  attributed: 'Attributed',
  opens: 'Opens',
  events: 'Events',
  revenue: 'Revenue',
};

export const METRIC_MARKS: Partial<Readonly<Record<Metric, RecordKind>>> = {
  clicks: 'click',
  installs: 'install',
  opens: 'open',
  events: 'event',
};

/** The currency with the largest sum: others are never added to it. */
export function mainCurrency(revenue: readonly RevenueSum[]): string | null {
  const largest = revenue.toSorted((a, b) => Number(b.amount) - Number(a.amount))[0];
  return largest?.currency ?? null;
}

/** @param currency of revenue; @returns null where there is nothing to divide. */
export function metricOf(numbers: StatsMetrics, metric: Metric, currency: string | null): number | null {
  switch (metric) {
    case 'attributed':
      return numbers.installs === 0 ? null : numbers.attributedInstalls / numbers.installs;
    case 'revenue':
      return Number(numbers.revenue.find((sum) => sum.currency === currency)?.amount ?? 0);
    default:
      return numbers[metric];
  }
}

export function formatMetric(value: number | null, metric: Metric, currency: string | null): string {
  if (value === null) return '–';
  if (metric === 'attributed') return formatShare(value);
  if (metric === 'revenue')
    return currency === null ? '0' : formatMoney({ amount: String(value), currency }, 0);
  return formatCount(value);
}

/** From the period before: `12.4 %`, or points for a share; null without a number before. */
export function formatChange(now: number | null, before: number | null, metric: Metric) {
  if (now === null || before === null || before === 0) return null;
  const difference = now - before;
  const direction = difference > 0 ? 'up' : difference < 0 ? 'down' : 'same';
  const text =
    metric === 'attributed'
      ? `${Math.abs(difference * 100).toFixed(1)} pts`
      : formatShare(Math.abs(difference / before));
  return { direction, text } as const;
}
