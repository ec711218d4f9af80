/** Statistics as a table, for CSV. */
import { CURRENCY_METRICS, type CurrencyMetric, isRatio } from './metrics.ts';
import type { Answer } from './schemas.ts';

type Group = NonNullable<Answer['groups']>[number];
type Row = Omit<Group, 'key' | 'label' | 'network'>;

/** The groups, with columns of the period before if the answer has it; or the series. Money has a column for each currency. */
export function toTable({ groups, series = [] }: Answer): Record<string, unknown>[] {
  if (groups === undefined) {
    const columnsOf = columnsOfMoney(series);
    return series.map(({ at, partial = false, ...metrics }) => ({
      ...{ at, partial: String(partial), ...columnsOf(metrics) },
    }));
  }
  const columnsOf = columnsOfMoney(groups.flatMap((group) => [group, group.previous ?? []].flat()));
  return groups.map(({ key, label, network, previous, ...metrics }) => ({
    ...{
      key,
      label,
      ...(groups.some((group) => group.network !== undefined) && { network: network ?? null }),
    },
    ...columnsOf(metrics),
    ...(previous !== undefined && columnsOf(previous, 'previous_')),
  }));
}

/** Each row has the columns of all. */
function columnsOfMoney(rows: readonly Pick<Row, CurrencyMetric>[]) {
  const currencies = CURRENCY_METRICS.map((name) => {
    const all = new Set(rows.flatMap((row) => row[name]?.map(({ currency }) => currency) ?? []));
    return [name, [...all].sort()] as const;
  });
  return (metrics: Row, prefix = ''): Record<string, unknown> => {
    const counts = Object.entries(metrics).filter(
      ([name]) => !CURRENCY_METRICS.some((metric) => metric === name),
    );
    const money = currencies.flatMap(([name, all]) =>
      all.map((currency) => [`${name}_${currency}`, cellOf(name, metrics[name], currency)]),
    );
    return Object.fromEntries([...counts, ...money].map(([name, value]) => [prefix + name, value]));
  };
}

/** Empty where the metric is not known, or has no divisor. */
function cellOf(
  name: CurrencyMetric,
  values: readonly { currency: string; amount?: string; ratio?: number }[] | undefined,
  currency: string,
): string | number {
  const value = values?.find((each) => each.currency === currency);
  if (value !== undefined) return value.amount ?? value.ratio ?? '';
  return values === undefined || isRatio(name) ? '' : '0.00';
}
