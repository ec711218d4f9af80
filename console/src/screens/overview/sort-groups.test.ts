import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StatsGroup, StatsMetrics } from '@generated/types.gen.ts';
import { dimensionOf } from './dimensions.ts';
import { rowsOf } from './sort-groups.ts';

type Sums = Readonly<Record<string, string>>;

function groupOf(key: string | null, installs: number, revenue: Sums = {}): StatsGroup {
  const sums = Object.entries(revenue).map(([currency, amount]) => ({ currency, amount }));
  return { key, clicks: 0, installs, payingInstalls: 1, revenue: sums } as unknown as StatsGroup;
}

const NO_TOTALS = { revenue: [], installs: 0, clicks: 0, payingInstalls: 0 } as unknown as StatsMetrics;

describe('rows of a list', () => {
  const groups = [
    groupOf(null, 90, { EUR: '900' }),
    groupOf('tokyo', 5, { JPY: '90000' }),
    groupOf('free', 4),
    groupOf('berlin', 1, { EUR: '9' }),
    groupOf('paris', 2, { EUR: '20' }),
  ];
  const keysBy = (sort: string) =>
    rowsOf(
      groups,
      { sort, columns: 'installs,revenue' },
      { dimension: dimensionOf('campaigns'), whole: { totals: NO_TOTALS, previous: NO_TOTALS, groups } },
    ).map(({ key }) => key);

  it('are sorted by the most common currency, those without it below by the next one', () => {
    assert.deepEqual(keysBy('revenue').slice(0, 4), ['paris', 'berlin', 'tokyo', 'free']);
  });

  it('have those without a campaign last, whatever the sort', () => {
    assert.deepEqual(keysBy('installs'), ['tokyo', 'free', 'paris', 'berlin', null]);
    assert.equal(keysBy('revenue').at(-1), null);
  });
});
