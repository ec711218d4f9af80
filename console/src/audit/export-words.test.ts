import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filtersText } from './export-words.ts';

describe('the sentence of an export', () => {
  it('says its filters in words, with the values that the log keeps', () => {
    const filters = { campaignId: 'spring', country: 'DE', method: ['CLICK_ID', 'ORGANIC'], shortCode: '' };
    assert.equal(
      filtersText({ fields: ['campaignId', 'country', 'method', 'shortCode', 'userId'], filters }),
      ', filtered by Campaign: spring, Country: Germany, Matched by: Click ID or Organic, Link: none, User ID',
    );
    assert.match(
      filtersText({
        fields: ['from', 'sandbox'],
        filters: { from: '2025-11-01T12:00:00Z', sandbox: 'true' },
      }),
      /^, filtered by from .*Nov.*2025.*, sandbox data$/,
    );
    assert.equal(filtersText({ fields: ['campaignId'] }), ', filtered by Campaign');
    assert.equal(filtersText({}), '');
  });
});
