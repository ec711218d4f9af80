import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeProgress } from './progress.ts';

describe('the progress of an export', () => {
  it('shows the share of the period, the number of records and the rate', () => {
    const line = describeProgress({ kind: 'clicks', count: 1_234_567, share: 0.41, seconds: 10 });
    assert.equal(line, '[########------------] 41 % of the period, 1,234,567 clicks, 123,457 a second');
  });

  it('stays within the bar for records outside of the period', () => {
    for (const [share, shown] of [
      [-1, '[--------------------] 0 %'],
      [2, '[####################] 100 %'],
    ] as const)
      assert.ok(describeProgress({ kind: 'clicks', count: 1, share, seconds: 0 }).startsWith(shown));
  });
});
