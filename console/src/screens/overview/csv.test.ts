import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StatsGroup, StatsInterval, StatsMetrics } from '@generated/types.gen.ts';
import { groupTable, seriesTable } from './csv.ts';

type Money = StatsMetrics['revenue'];

function numbers(clicks: number, revenue: Money = []): StatsMetrics {
  return {
    clicks,
    installs: 4,
    payingInstalls: 1,
    revenue,
    cohortRevenue: revenue,
  } as unknown as StatsMetrics;
}

function group(key: string | null, now: StatsMetrics, previous: StatsMetrics): StatsGroup {
  return { key, label: key ?? '', ...now, previous } as StatsGroup;
}

const EUR = (amount: string): Money => [{ currency: 'EUR', amount }];
const USD = (amount: string): Money => [{ currency: 'USD', amount }];

describe('the table of a list', () => {
  it('has this period and the one before, and a column for each currency', () => {
    const rows = groupTable(
      [group('sale', numbers(7, EUR('10.50')), numbers(5, USD('3.00'))), group(null, numbers(2), numbers(0))],
      numbers(1),
      { head: 'Campaign', nameOf: ({ key }) => key ?? '(none)', columns: ['clicks', 'revenue'] },
    );
    const of = (campaign: string, ...cells: (number | string)[]) => ({
      Campaign: campaign,
      Clicks: cells[0],
      'Clicks before': cells[1],
      'Revenue EUR': cells[2],
      'Revenue EUR before': cells[3],
      'Revenue USD': cells[4],
      'Revenue USD before': cells[5],
    });
    assert.deepEqual(rows, [
      of('sale', 7, 5, 10.5, 0, 0, 3),
      of('(none)', 2, 0, 0, 0, 0, 0),
      of('(other)', 1, '', 0, '', 0, ''),
    ]);
  });

  it('has no more decimals than money has, and nothing where nothing can be divided', () => {
    const none = { ...numbers(1, EUR('10')), installs: 0 };
    const rows = groupTable([group('a', { ...numbers(1, EUR('10')), installs: 3 }, none)], null, {
      head: 'Link',
      nameOf: ({ key }) => String(key),
      columns: ['revenuePerInstall'],
    });
    assert.deepEqual(rows, [
      { Link: 'a', 'Revenue for an install EUR': 3.3333, 'Revenue for an install EUR before': 0 },
    ]);
  });
});

describe('the table of the intervals', () => {
  it('marks the one that is not over', () => {
    const at = (day: number) => `2026-11-${day}T00:00:00+01:00`;
    const interval = (day: number, clicks: number, partial?: true) =>
      ({ at: at(day), ...numbers(clicks), ...(partial && { partial }) }) as StatsInterval;
    const rows = seriesTable(
      {
        interval: 'day',
        series: [interval(25, 3), interval(26, 1, true)],
        previousSeries: [interval(23, 2), interval(24, 4)],
      },
      ['clicks'],
    );
    assert.deepEqual(rows, [
      { Day: '2026-11-25', 'So far': 'no', Clicks: 3, 'Clicks before': 2 },
      { Day: '2026-11-26', 'So far': 'yes', Clicks: 1, 'Clicks before': 4 },
    ]);
  });
});
