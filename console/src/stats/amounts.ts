/** Amounts of one or several currencies, and how they changed. Currencies are never added or compared. */
import { formatCount, formatMoney, formatShare, usualDigits } from '../formats.ts';

/** A number, or a sum of one currency. */
export interface Amount {
  readonly value: number;
  readonly currency: string | null;
}

export type Unit = 'count' | 'money' | 'share' | 'ratio';

/** An amount of this period and the one before; null where nothing can be divided. */
export interface Compared {
  readonly currency: string | null;
  readonly now: number | null;
  readonly before: number | null;
}

export interface Change {
  readonly direction: 'up' | 'down' | 'same';
  readonly text: string;
}

const NOTHING = { currency: null, now: null, before: null } as const;

/**
 * Each currency with itself: the main one first, the others by name, without those that have nothing in both periods.
 * One of zero for sums of money that are all empty, but for costs, which may just not be known.
 */
export function compare(
  now: readonly Amount[],
  before: readonly Amount[],
  { unit, main, isOfCosts = false }: { unit: Unit; main: string | null; isOfCosts?: boolean | undefined },
): Compared[] {
  const missing = unit === 'money' || unit === 'count' ? 0 : null;
  const all = [...new Set([...now, ...before].map(({ currency }) => currency))];
  const valueIn = (amounts: readonly Amount[], currency: string | null) =>
    amounts.find((amount) => amount.currency === currency)?.value ?? missing;
  const compared = all
    .map((currency) => ({ currency, now: valueIn(now, currency), before: valueIn(before, currency) }))
    .filter((each) => each.currency === null || Boolean(each.now) || Boolean(each.before));
  if (compared.length === 0)
    return unit === 'money' && main !== null && !isOfCosts
      ? [{ currency: main, now: 0, before: 0 }]
      : [NOTHING];
  const rank = ({ currency }: Compared) => (currency === main ? '' : (currency ?? ''));
  return compared.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** The currency with the largest amount, by which the service sorts; of the period before where this one has none. */
export function mainCurrency(...periods: readonly (readonly Amount[])[]): string | null {
  const amounts = periods.find((each) => each.some(({ value }) => value !== 0)) ?? [];
  return amounts.toSorted((a, b) => b.value - a.value)[0]?.currency ?? null;
}

const WHOLE_FROM = 100;

/** @param digits of money from 100 on; as many as are usual by default */
export function formatAmount(
  { value, currency }: { value: number | null; currency: string | null },
  unit: Unit,
  digits?: number,
): string {
  if (value === null) return '–';
  if (unit === 'share') return formatShare(value);
  if (unit === 'ratio') return `${currency ?? ''} ${formatShare(value, 0)}`.trim();
  if (unit === 'count') return formatCount(value);
  if (currency === null) return '0';
  const size = Math.abs(value);
  const usual = usualDigits(currency);
  // Less than one may be less than the smallest coin.
  const most =
    value !== 0 && size < 1 ? undefined : value !== 0 && size < WHOLE_FROM ? usual : (digits ?? usual);
  return formatMoney({ amount: String(value), currency }, most);
}

/** `12.4 %`, or points for a share; `new` where nothing was before; null without numbers to compare. */
export function changeOf({ now, before }: Omit<Compared, 'currency'>, unit: Unit): Change | null {
  if (now === null || before === null || (now === 0 && before === 0)) return null;
  const difference = now - before;
  const direction = difference > 0 ? 'up' : difference < 0 ? 'down' : 'same';
  if (unit === 'share' || unit === 'ratio')
    return { direction, text: `${Math.abs(difference * 100).toFixed(1)} pts` };
  if (before === 0) return { direction, text: 'new' };
  return { direction, text: formatShare(Math.abs(difference / before)) };
}
