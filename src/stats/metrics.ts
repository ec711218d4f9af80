/** Counts as they are answered. */
import { type Static, type TObject, Type } from 'typebox';
import { type Counts, countOf, moneyOf } from './add-counts.ts';
import { presentSpend, sizeOfSpend, spendFields } from './costs/spend.ts';
import {
  BY_NAME,
  type CountName,
  isOfCosts,
  METRICS,
  type MetricName,
  MONEY,
  type MoneyName,
  type SpendName,
} from './counts.ts';
import { rankCurrencies } from './rank-currencies.ts';
import { MoneyList, NO_MONEY, presentMoney } from './revenue.ts';

const Count = Type.Integer({ minimum: 0 });

type Fields = {
  [N in MetricName]: N extends keyof typeof spendFields
    ? (typeof spendFields)[N]
    : N extends MoneyName
      ? typeof MoneyList
      : typeof Count;
};
export type Metrics = Static<TObject<Fields>>;

export type MoneyMetric = MetricName & MoneyName;
const isMoney = (name: MetricName): name is MoneyMetric => MONEY.some((count) => count === BY_NAME[name]);

export type CurrencyMetric = MoneyMetric | SpendName;
/** Lists with an entry for each currency. */
export const CURRENCY_METRICS: readonly CurrencyMetric[] = METRICS.filter(
  (name) => isMoney(name) || isOfCosts(name),
);

/** Whether a currency may be left out for lack of a divisor. */
export function isRatio(name: CurrencyMetric): boolean {
  return name !== 'cost' && isOfCosts(name);
}

/** The fields of a schema with metrics. */
export const metricFields = Object.fromEntries(
  METRICS.map((name) => {
    if (isOfCosts(name)) return [name, spendFields[name]];
    const { description = null } = BY_NAME[name] ?? {};
    const schema = isMoney(name) ? MoneyList : Count;
    return [name, description === null ? schema : { ...schema, description }];
  }),
) as unknown as Fields;

export function presentMetrics(counts: Counts): Metrics {
  const spend = presentSpend(counts);
  const metrics = METRICS.map((name) => {
    if (isOfCosts(name)) return [name, spend[name]];
    return [name, isMoney(name) ? presentMoney(moneyOf(counts, name)) : countOf(counts, name as CountName)];
  });
  return Object.fromEntries(metrics) as Metrics;
}

/** Compares by a metric, largest first; money in the currency that most groups have, then in the next ones. */
export function byMetric(
  name: MetricName,
  totals: Counts,
  groups: readonly Counts[] = [],
): (a: Counts, b: Counts) => number {
  const sizes = sizesBy(name, { totals, groups });
  return (a, b) => {
    for (const sizeOf of sizes) {
      const [left, right] = [sizeOf(a), sizeOf(b)];
      if (left !== right) return left > right ? -1 : 1;
    }
    return 0;
  };
}

type SizeOf = (counts: Counts) => number | bigint;

function sizesBy(name: MetricName, of: { totals: Counts; groups: readonly Counts[] }): SizeOf[] {
  if (isOfCosts(name)) {
    const currencies = rankCurrencies(({ cost = NO_MONEY }) => cost, of);
    return (currencies.length === 0 ? [''] : currencies).map((currency) => sizeOfSpend(name, currency));
  }
  if (!isMoney(name)) return [(counts) => countOf(counts, name as CountName)];
  const sums = (counts: Counts) => moneyOf(counts, name);
  return rankCurrencies(sums, of).map((currency) => (counts) => sums(counts).get(currency) ?? 0n);
}
