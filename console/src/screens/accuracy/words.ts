import type { AccuracyShare } from '@generated/types.gen.ts';
import { formatShare, LOCALE } from '../../formats.ts';

export function formatThreshold(threshold: number): string {
  return formatShare(threshold, 0);
}

export function formatInterval({ low, high }: AccuracyShare): string {
  return `${formatShare(low)} to ${formatShare(high)}`;
}

/** Amounts of installs with one digit where a whole number would hide them. */
export function formatAmount(amount: number): string {
  const digits = amount < 10 ? 1 : 0;
  return new Intl.NumberFormat(LOCALE, { maximumFractionDigits: digits }).format(amount);
}
