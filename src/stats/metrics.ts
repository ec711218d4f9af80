/** Counts as they are answered. */
import { type Static, Type } from 'typebox';
import { type Counts, countOf, moneyOf } from './add-counts.ts';
import { BY_NAME, type CountName, METRICS, type MetricName, MONEY, type MoneyName } from './counts.ts';
import { MoneyList, presentMoney } from './revenue.ts';

const Count = Type.Integer({ minimum: 0 });

type Fields = {
  [N in MetricName]: N extends MoneyName ? typeof MoneyList : typeof Count;
};
export type Metrics = { [N in MetricName]: Static<Fields[N]> };

export type MoneyMetric = MetricName & MoneyName;
const isMoney = (name: MetricName): name is MoneyMetric => MONEY.some((count) => count === BY_NAME[name]);

export const MONEY_METRICS = METRICS.filter(isMoney);

/** The fields of a schema with metrics. */
export const metricFields = Object.fromEntries(
  METRICS.map((name) => {
    const { description = null } = BY_NAME[name] ?? {};
    const schema = isMoney(name) ? MoneyList : Count;
    return [name, description === null ? schema : { ...schema, description }];
  }),
) as unknown as Fields;

export function presentMetrics(counts: Counts): Metrics {
  const metrics = METRICS.map((name) => [
    name,
    isMoney(name) ? presentMoney(moneyOf(counts, name)) : countOf(counts, name as CountName),
  ]);
  return Object.fromEntries(metrics) as Metrics;
}

/** Compares by a metric, largest first; money in the currency with the largest total. */
export function byMetric(name: MetricName, totals: Counts): (a: Counts, b: Counts) => number {
  const sizeOf = isMoney(name)
    ? sizeOfMoney(name, totals)
    : (counts: Counts) => countOf(counts, name as CountName);
  return (a, b) => {
    const [left, right] = [sizeOf(a), sizeOf(b)];
    return left === right ? 0 : left > right ? -1 : 1;
  };
}

function sizeOfMoney(name: MoneyName, totals: Counts): (counts: Counts) => bigint {
  const [[currency = ''] = []] = [...moneyOf(totals, name)].sort(([, a], [, b]) => (a < b ? 1 : -1));
  return (counts) => moneyOf(counts, name).get(currency) ?? 0n;
}
