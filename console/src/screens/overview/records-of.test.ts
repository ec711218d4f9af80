import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withFilter } from './overview-search.ts';
import { recordsOf } from './records-of.ts';

const DAYS = { from: '2026-11-01', to: '2026-11-02', tz: 'UTC' };
const MOMENTS = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-03T00:00:00.000Z' };

describe('the records of a number', () => {
  for (const [column, search, row, expected] of [
    ['clicks', {}, null, '/clicks'],
    ['installs', {}, null, '/installs?existingUser=false'],
    ['attributed', {}, null, '/installs?method=INSTALL_REFERRER,CLICK_ID,FINGERPRINT'],
    ['payingInstalls', {}, null, '/installs?existingUser=false&hasRevenue=true'],
    ['opens', {}, null, '/opens'],
    ['events', {}, null, '/events'],
    ['revenue', {}, null, '/events?hasRevenue=true'],
    ['clicks', {}, ['campaignId', 'sale'], '/clicks?campaignId=sale'],
    ['clicks', {}, ['campaignId', null], '/clicks?campaignId='],
    [
      'installs',
      { country: 'DE' },
      ['shortCode', 'autumn'],
      '/installs?existingUser=false&shortCode=autumn&country=DE',
    ],
    ['installs', {}, ['platformVersion', 'IOS 18'], '/installs?existingUser=false&platformVersion=IOS 18'],
    ['opens', { sandbox: 'true' }, ['method', 'ORGANIC'], '/opens?sandbox=true&method=ORGANIC'],
    ['revenue', {}, ['utmSource', null], '/events?hasRevenue=true&utmSource='],
    // No list counts these: clicks and events have no method, and clicks no version.
    ['clicks', { method: 'ORGANIC' }, null, null],
    ['events', {}, ['method', 'ORGANIC'], null],
    ['clicks', {}, ['appVersion', '1.0'], null],
    ['attributed', {}, ['method', 'CLICK_ID'], null],
    ['installs', {}, ['method', 'DIRECT'], null],
    ['firstPurchases', {}, null, null],
    ['cohortRevenue', {}, null, null],
    ['revenuePerInstall', {}, null, null],
  ] as const)
    it(`${column} with ${JSON.stringify({ ...search, row })} are those of ${expected}`, () => {
      const records = recordsOf(column, { ...DAYS, ...search }, row);
      if (expected === null) return assert.equal(records, null);
      const [path = '', query = ''] = expected.split('?');
      const parameters = query.split('&').filter(Boolean);
      const filters = Object.fromEntries(
        parameters.map((each) => {
          const [name = '', value = ''] = each.split('=');
          return [name, name === 'method' && value.includes(',') ? value.split(',') : value];
        }),
      );
      assert.deepEqual(records, { to: `/$appId${path}`, search: { ...MOMENTS, ...filters } });
    });
});

describe('a filter that is added', () => {
  it('takes the place of one that statistics do not take beside it, and of no other', () => {
    const search = { country: 'DE', campaignId: 'sale', ...withFilter('referrer', 'a.example') };
    assert.deepEqual(
      Object.entries(search).filter(([, value]) => value !== undefined),
      [
        ['campaignId', 'sale'],
        ['referrer', 'a.example'],
      ],
    );
    assert.deepEqual(withFilter('platform', 'IOS'), { platform: 'IOS' });
  });

  it('asks for records without a value, where statistics can', () => {
    assert.equal(withFilter('country', null)?.country, '');
    assert.equal(withFilter('campaignId', null), null);
  });
});
