/** Currencies are never converted, so a sort by money takes them in turn: the most common one first. */
import { type Counts, countOf } from './add-counts.ts';
import type { Money } from './revenue.ts';

/** Those that most groups have; of equal ones those whose groups have most paying installs, then the largest total. */
export function rankCurrencies(
  moneyOf: (counts: Counts) => Money,
  { totals, groups }: { totals: Counts; groups: readonly Counts[] },
): string[] {
  const ranks = new Map<string, Rank[1]>();
  for (const [currency, total] of moneyOf(totals)) ranks.set(currency, [0, 0, total]);
  for (const counts of groups)
    for (const currency of moneyOf(counts).keys()) {
      const [having = 0, paying = 0, total = 0n] = ranks.get(currency) ?? [];
      ranks.set(currency, [having + 1, paying + countOf(counts, 'payingInstalls'), total]);
    }
  const compare = ([a, left]: Rank, [b, right]: Rank) => {
    const place = left.findIndex((value, index) => value !== right[index]);
    if (place === -1) return a < b ? -1 : 1;
    return (left[place] ?? 0) > (right[place] ?? 0) ? -1 : 1;
  };
  return [...ranks].sort(compare).map(([currency]) => currency);
}

type Rank = readonly [
  currency: string,
  ranks: readonly [groups: number, payingInstalls: number, total: bigint],
];
