import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  META_AD,
  META_BLOCK,
  META_CLAIM,
  META_KEY,
  metaBlockOf,
  metaReferrerOf,
} from '../../test/helpers/meta-block.ts';
import { decryptMetaBlock, metaBlockIn, metaClaim } from './meta.ts';

const REFERRER = metaReferrerOf(META_BLOCK);
const CONTENT = JSON.stringify({ app: 0, t: 1_668_047_650, source: META_BLOCK });
const said = { claimType: 'Click', clickedAt: null };

describe('a block of Meta', () => {
  it('is decrypted as in Meta’s own example, and keeps campaign, ad set and ad', () => {
    const ad = decryptMetaBlock(META_BLOCK, META_KEY);
    assert.deepEqual(ad, META_AD);
    assert.deepEqual(metaClaim(ad ?? {}, said), META_CLAIM);
  });

  const forms: Record<string, string> = {
    'of Facebook': REFERRER,
    'of Instagram': metaReferrerOf(META_BLOCK, 'apps.instagram.com').replace('fb4a', 'ig4a'),
    'among other parameters': `a=%E4%F6&${REFERRER}&svc_click_id=019a&utm_term=100%`,
    'with a value that is encoded twice': REFERRER.replace(/%/g, '%25'),
    'encoded as a whole': encodeURIComponent(REFERRER),
    'encoded twice as a whole': encodeURIComponent(encodeURIComponent(REFERRER)),
    'that an install path decoded': `utm_source=apps.instagram.com&utm_campaign=ig4a&utm_content=${CONTENT}`,
    'in capitals': `utm_content=${CONTENT.replace(META_BLOCK.data, META_BLOCK.data.toUpperCase())}`,
    'with spaces as forms encode them': `utm_content=${encodeURIComponent(CONTENT.replaceAll(':', ' : ')).replaceAll('%20', '+')}`,
    'without the source’s host': `utm_content=${encodeURIComponent(CONTENT)}`,
    'of the content provider': JSON.stringify({ utm_campaign: 'fb4a', utm_content: JSON.parse(CONTENT) }),
    'of the content provider, with JSON as text': JSON.stringify({ utm_content: CONTENT }),
    'with its fields the other way round': JSON.stringify({
      utm_content: { source: { nonce: META_BLOCK.nonce, data: META_BLOCK.data }, a: '1' },
    }),
  };
  for (const [name, referrer] of Object.entries(forms))
    it(`is found in a referrer ${name}`, () => {
      const found = metaBlockIn(referrer);
      assert.ok(typeof found === 'object' && found !== null, `${found}`);
      assert.deepEqual(decryptMetaBlock(found, META_KEY), META_AD);
    });

  const others: [string, ReturnType<typeof metaBlockIn>][] = [
    ['', null],
    ['utm_source=google-play&utm_medium=organic', null],
    ['utm_source=(not%20set)&utm_medium=(not%20set)', null],
    ['utm_source=xapps.facebook.community&utm_content=%7B%22data%22%3A%22aa%22%7D', null],
    ['utm_source=apps.facebook.com&utm_campaign=fb4a', 'no_block'],
    ['utm_source%3Dapps.instagram.com%26utm_campaign%3Dig4a', 'no_block'],
    [metaReferrerOf(null), 'no_block'],
    [metaReferrerOf({ data: META_BLOCK.data }), 'damaged'],
    [metaReferrerOf({ ...META_BLOCK, data: 'xyz' }), 'damaged'],
    [metaReferrerOf({ ...META_BLOCK, data: 'ab'.repeat(16) }), 'damaged'],
    [metaReferrerOf({ ...META_BLOCK, nonce: 'ab' }), 'damaged'],
    [metaReferrerOf({ ...META_BLOCK, data: META_BLOCK.data.slice(1) }), 'damaged'],
    [REFERRER.slice(0, 300), 'damaged'],
  ];
  for (const [referrer, expected] of others)
    it(`${expected ?? 'nothing'} is said of ${referrer.slice(0, 60) || 'an empty referrer'}`, () => {
      assert.equal(metaBlockIn(referrer), expected);
    });

  it('that another key encrypted, or that was changed, gives nothing', () => {
    const changed = META_BLOCK.data.replace(/^af/, 'ae');
    assert.equal(decryptMetaBlock({ ...META_BLOCK, data: changed }, META_KEY), null);
    assert.equal(decryptMetaBlock(META_BLOCK, 'ab'.repeat(32)), null);
    for (const text of ['no JSON', '7', 'null', '']) {
      const block = metaBlockOf(text);
      assert.equal(decryptMetaBlock(block, META_KEY), null, text);
    }
  });

  it('keeps bounded texts that every database takes, and no field that it does not know', () => {
    const ad = decryptMetaBlock(
      metaBlockOf({
        campaign_group_id: 120_210_000_000_000,
        campaign_group_name: `a\u0000b\ud800${'x'.repeat(2_000)}`,
        campaign_id: 'y'.repeat(65),
        campaign_name: { deep: [1] },
        ad_id: ' ',
        adgroup_id: 1e300,
        secret: 'unknown',
      }),
      META_KEY,
    );
    const claim = metaClaim(ad ?? {}, said);
    assert.equal(claim.campaignName?.length, 512);
    assert.match(claim.campaignName ?? '', /^a b\ufffdx+$/);
    assert.deepEqual(
      [claim.campaignId, claim.adGroupId, claim.adGroupName, claim.adId],
      ['120210000000000', null, null, null],
    );
    assert.ok(!JSON.stringify(claim).includes('unknown'));
  });

  it('keeps every digit of an ID that is a number, with names and numbers that are none as they are', () => {
    const text =
      '{"campaign_group_id":120210000000000123,"campaign_id":9007199254740993,"ad_id":1.5,"adgroup_id":1e20}';
    const claim = metaClaim(decryptMetaBlock(metaBlockOf(text), META_KEY) ?? {}, said);
    assert.deepEqual(
      [claim.campaignId, claim.adGroupId, claim.adId],
      ['120210000000000123', '9007199254740993', null],
    );
  });

  it('is looked for in any text of full length within a few milliseconds', () => {
    for (const part of ['"data":"', '\\', '"source"', '%25', '"data"\\\\\\:', 'utm_source=']) {
      const started = process.hrtime.bigint();
      metaBlockIn(part.repeat(Math.floor(16_384 / part.length)));
      assert.ok(process.hrtime.bigint() - started < 100_000_000n, part);
    }
  });
});
