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
 * Each currency with itself, without those that have nothing in both periods.
 * @param order of the currencies
 */
export function compare(
  now: readonly Amount[],
  before: readonly Amount[],
  { unit, order }: { unit: Unit; order: readonly string[] },
): Compared[] {
  const missing = unit === 'money' || unit === 'count' ? 0 : null;
  const all = [...new Set([...now, ...before].map(({ currency }) => currency))];
  const valueIn = (amounts: readonly Amount[], currency: string | null) =>
    amounts.find((amount) => amount.currency === currency)?.value ?? missing;
  const compared = all
    .map((currency) => ({ currency, now: valueIn(now, currency), before: valueIn(before, currency) }))
    .filter((each) => each.currency === null || Boolean(each.now) || Boolean(each.before));
  if (compared.length === 0) return [NOTHING];
  const placeOf = ({ currency }: Compared) => order.indexOf(currency ?? '');
  return compared.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** A row of a list, as far as it ranks currencies. */
export interface Payers {
  readonly amounts: readonly Amount[];
  readonly payingInstalls: number;
}

/**
 * By the rule of the service: those that most rows have; of equal ones those whose rows have most paying installs, then
 * the largest total.
 */
export function rankCurrencies(rows: readonly Payers[], totals: readonly Amount[]): string[] {
  const ranks = [...rows.map(({ amounts }) => amounts), totals]
    .flatMap((amounts) => amounts.filter(({ value }) => value !== 0))
    .flatMap(({ currency }) => currency ?? []);
  return [...new Set(ranks)]
    .map((currency) => {
      const isIt = (amount: Amount) => amount.currency === currency && amount.value !== 0;
      const having = rows.filter(({ amounts }) => amounts.some(isIt));
      const paying = having.reduce((sum, { payingInstalls }) => sum + payingInstalls, 0);
      return { currency, having: having.length, paying, total: totals.find(isIt)?.value ?? 0 };
    })
    .toSorted(
      (a, b) =>
        b.having - a.having || b.paying - a.paying || b.total - a.total || (a.currency < b.currency ? -1 : 1),
    )
    .map(({ currency }) => currency);
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

/** A fall that comes, at least in part, from the age of the installs: it has no arrow. */
export function isNoLoss(
  { direction }: Change,
  { isOfCohorts = false }: { readonly isOfCohorts?: boolean },
): boolean {
  return isOfCohorts && direction === 'down';
}
