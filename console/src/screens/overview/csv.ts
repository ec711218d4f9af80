/** Tables of statistics, as spreadsheets take them: plain numbers, a column for each currency, this period and before. */
import type { Stats, StatsGroup, StatsInterval, StatsMetrics, StatsOther } from '@generated/types.gen.ts';
import { type Column, type ColumnName, columnOf } from '../../stats/columns.ts';

type Row = Record<string, string | number>;
interface Numbers {
  readonly now: StatsMetrics;
  readonly before: StatsMetrics | undefined;
}

/** A row for each group, and one for what is left. */
export function groupTable(
  groups: readonly StatsGroup[],
  other: StatsOther | null,
  {
    head,
    nameOf,
    columns,
  }: { head: string; nameOf: (group: StatsGroup) => string; columns: readonly ColumnName[] },
): Row[] {
  const rows = [
    ...groups.map((group) => [nameOf(group), { now: group, before: group.previous }] as const),
    ...(other === null ? [] : [['(other)', { now: other, before: other.previous }] as const]),
  ];
  const cells = cellsOf(
    rows.map(([, numbers]) => numbers),
    columns,
  );
  return rows.map(([name], index) => ({ [head]: name, ...cells[index] }));
}

/** A row for each interval; the last may not be over. */
export function seriesTable(
  {
    interval,
    series,
    previousSeries,
  }: Pick<Stats, 'interval'> & { series: readonly StatsInterval[]; previousSeries: readonly StatsInterval[] },
  columns: readonly ColumnName[],
): Row[] {
  const isPaired = interval === 'day' || series.length === previousSeries.length;
  const head = { hour: 'Hour', day: 'Day', week: 'Week from', month: 'Month from' }[interval];
  const timeOf = (at: string) => (interval === 'hour' ? at : at.slice(0, 10));
  const cells = cellsOf(
    series.map((now, index) => ({ now, before: isPaired ? previousSeries[index] : undefined })),
    columns,
  );
  return series.map(({ at, partial = false }, index) => ({
    [head]: timeOf(at),
    'So far': partial ? 'yes' : 'no',
    ...cells[index],
  }));
}

function cellsOf(rows: readonly Numbers[], columns: readonly ColumnName[]): Row[] {
  const heads = columns.map(columnOf).flatMap((column) => headsOf(rows, column));
  return rows.map((row) => Object.fromEntries(heads.map(([head, cellOf]) => [head, cellOf(row)])));
}

type Head = readonly [head: string, cellOf: (row: Numbers) => string | number];

function headsOf(rows: readonly Numbers[], { name, unit, amountsOf }: Column): Head[] {
  const all = rows.flatMap(({ now, before }) => [
    ...amountsOf(now),
    ...(before === undefined ? [] : amountsOf(before)),
  ]);
  const currencies = [...new Set(all.map(({ currency }) => currency))].sort();
  const hasBefore = rows.some(({ before }) => before !== undefined);
  return currencies.flatMap((currency): Head[] => {
    const valueIn = (numbers: StatsMetrics | undefined) => {
      if (numbers === undefined) return '';
      const amount = amountsOf(numbers).find((each) => each.currency === currency);
      return amount === undefined ? (unit === 'money' ? 0 : '') : rounded(amount.value);
    };
    const head = currency === null ? name : `${name} ${currency}`;
    return [
      [head, ({ now }) => valueIn(now)],
      ...(hasBefore ? [[`${head} before`, ({ before }: Numbers) => valueIn(before)] as const] : []),
    ];
  });
}

/** Money has four decimals at most. */
function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
