import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { templateOf } from './template.ts';

describe('the template of costs', () => {
  it('has a line for each campaign, and columns of networks where there are any', () => {
    const linesOf = (text: string) => text.slice(1).trimEnd().split('\r\n');
    assert.deepEqual(linesOf(templateOf(['b', 'a', '=1'], [], '2026-01-31')), [
      ...['date,campaignId,amount,currency', '2026-01-31,a,,', '2026-01-31,b,,'],
    ]);
    const meta = { network: 'meta', campaignId: '111' };
    assert.deepEqual(linesOf(templateOf(['a'], [meta, { ...meta, campaignId: '=1' }], '2026-01-31')), [
      ...['date,campaignId,network,networkCampaignId,amount,currency'],
      ...['2026-01-31,a,,,,', '2026-01-31,,meta,111,,'],
    ]);
  });
});
