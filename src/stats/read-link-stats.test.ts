import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toLinkStats } from './read-link-stats.ts';

const DAYS = ['2026-01-01', '2026-01-02'];
const KEY = { day: '2026-01-02', campaignId: 'spring', linkId: 'link', platform: 'IOS' };
const NONE = { tool: 0, crawler: 0, preview: 0, prefetch: 0, embedded: 0, head: 0 };

describe('statistics of a link', () => {
  it('take clicks from cells of visitors, and other records from cells of methods', async () => {
    const { totals, byDay, byPlatform, byMethod, byCampaign } = await toLinkStats(
      [
        {
          ...KEY,
          dimension: 'visitor',
          value: '=human',
          quarterHours: [
            [0, [2]],
            [95, [1]],
          ],
        },
        {
          ...KEY,
          dimension: 'visitor',
          value: '=tool',
          platform: '',
          quarterHours: [[7, [0, 4, 0, 0, 0, 0, 0, 0, 4]]],
        },
        { ...KEY, dimension: 'method', value: '=CLICK_ID', quarterHours: [[8, [0, 0, 1, 1, 2, 0, 3, 9]]] },
      ],
      DAYS,
    );
    const records = { installs: 1, opens: 2, events: 3 };
    assert.deepEqual(totals, { clicks: 3, otherClicks: { ...NONE, tool: 4 }, ...records });
    assert.deepEqual(
      byDay.map(({ day, clicks }) => [day, clicks]),
      [
        ['2026-01-01', 0],
        ['2026-01-02', 3],
      ],
    );
    assert.deepEqual(
      byPlatform.map(({ platform, clicks, events }) => [platform, clicks, events]),
      [
        [null, 0, 0],
        ['IOS', 3, 3],
      ],
    );
    assert.deepEqual(byMethod, [{ method: 'CLICK_ID', ...records }]);
    assert.deepEqual(byCampaign, [{ campaignId: 'spring', ...totals }]);
  });

  it('have no group for records that were deleted, or that are only credited to the link', async () => {
    const cells = [
      {
        ...KEY,
        dimension: 'method',
        value: '=CLICK_ID',
        quarterHours: [
          [8, [0, 0, 1]],
          [9, [0, 0, -1]],
        ],
      },
      { ...KEY, dimension: 'method', value: '=ORGANIC', quarterHours: [[8, [0, 0, 0, 0, 0, 0, 0, 5]]] },
    ] as Parameters<typeof toLinkStats>[0];
    const { byPlatform, byMethod, byCampaign } = await toLinkStats(cells, DAYS);
    assert.deepEqual([byPlatform, byMethod, byCampaign], [[], [], []]);
  });
});
