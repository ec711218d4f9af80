import assert from 'node:assert/strict';
import { it } from 'node:test';
import { META_BLOCK, metaReferrerOf } from '../../test/helpers/meta-block.ts';
import { utmInReferrer } from './play-utm.ts';

const MAIL = { source: 'mail', medium: null, campaign: 'spring sale', term: null, content: null };
const CASES: [string, object | null][] = [
  ['', null],
  ['gclid=1', null],
  ['utm_source=google-play&utm_medium=organic', null],
  [
    'utm_source=google-play&utm_medium=cpc',
    { ...MAIL, source: 'google-play', medium: 'cpc', campaign: null },
  ],
  [
    'utm_source=(not%20set)&utm_medium=(not%20set)',
    { ...MAIL, source: '(not set)', medium: '(not set)', campaign: null },
  ],
  ['utm_source=mail&utm_campaign=spring+sale', MAIL],
  ['utm_source%3Dmail%26utm_campaign%3Dspring%2520sale', MAIL],
  ['utm_source%253Dmail%2526utm_campaign%253Dspring%252520sale', MAIL],
  ['utm_source=mail%00&utm_campaign=spring%20sale', MAIL],
  [metaReferrerOf(META_BLOCK), { ...MAIL, source: 'apps.facebook.com', campaign: 'fb4a' }],
  [metaReferrerOf({ data: META_BLOCK.data }), { ...MAIL, source: 'apps.facebook.com', campaign: 'fb4a' }],
  [`utm_source=${'x'.repeat(500)}`, { ...MAIL, source: 'x'.repeat(128), campaign: null }],
];
for (const [referrer, expected] of CASES)
  it(`a referrer ${referrer.slice(0, 60) || 'without text'} has ${expected === null ? 'no' : 'its'} utm values`, () => {
    assert.deepEqual(JSON.parse(utmInReferrer(referrer) ?? 'null'), expected);
  });

it('utm values of a referrer take 1 KiB at most', () => {
  const names = ['source', 'medium', 'campaign', 'term', 'content'];
  const referrer = names.map((name) => `utm_${name}=${encodeURIComponent('語'.repeat(128))}`).join('&');
  const utm = utmInReferrer(referrer.slice(0, 16_384)) ?? '';
  assert.ok(utm !== '' && Buffer.byteLength(utm) <= 1_024, String(Buffer.byteLength(utm)));
});
