import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FULL_RECORD } from '../../../test/fixtures/forwarded-records.ts';
import { advertisingIdOf, consentOf, numberOf, toValidName, vendorIdOf, worthOf } from './ads.ts';

describe('values for ad networks', () => {
  it('a name without what was lost keeps a mark of the whole name', () => {
    const ascii = (name: string) => toValidName(name, { forbidden: /[^0-9A-Za-z_]+/g, maxCharacters: 20 });
    assert.equal(ascii('my event'), 'my_event');
    assert.match(ascii('購入'), /^__[0-9a-f]{6}$/);
    assert.notEqual(ascii('購入'), ascii('登録'));
    assert.match(ascii('über'), /^_ber_[0-9a-f]{6}$/);
    assert.equal(ascii('x'.repeat(300)).length, 20);
    assert.match(ascii('\ud800'), /^__[0-9a-f]{6}$/);
  });

  it('two names of signs alone stay two, with and without a prefix', () => {
    for (const prefix of ['', 'e_']) {
      const valid = (name: string) =>
        toValidName(name, { forbidden: /[^\p{L}\p{N}_]+/gu, maxCharacters: 40, prefix });
      const names = ['🎉', '🎊', '🎉🎊', '!!!', '???', '_', '__', 'win 🎉', 'win 🎊', 'e\u0301', 'e\u0300'];
      assert.equal(new Set(names.map(valid)).size, names.length, names.map(valid).join());
      assert.equal(valid('win the-prize'), `${prefix}win_the_prize`);
    }
  });

  it('an amount is what was earned, else what the event is worth', () => {
    const worth = (properties: Record<string, unknown>) =>
      worthOf({ ...FULL_RECORD, properties, revenue: null });
    assert.deepEqual(worthOf(FULL_RECORD), { value: 19.99, currency: 'EUR' });
    assert.deepEqual(worth({ value: '4.50', currency: 'usd' }), { value: 4.5, currency: 'USD' });
    for (const properties of [
      { value: 4 },
      { value: '4,50', currency: 'EUR' },
      { value: -1, currency: 'EUR' },
      { value: 4, currency: 'ZZZ' },
    ])
      assert.equal(worth(properties), null);
    assert.equal(worthOf({ ...FULL_RECORD, revenue: { amount: '1', currency: 'ZZZ' } }), null);
  });

  it('numbers are numbers, or decimals as text', () => {
    const values = [7, '7.25', '-3', '', ' 7', '1e9', '0x10', null, true, '9'.repeat(400)];
    assert.deepEqual(values.map(numberOf), [7, 7.25, -3, null, null, null, null, null, null, null]);
  });

  it('identifiers are UUIDs other than zeros, in the capitals of their system', () => {
    const id = '38400000-8cf0-11bd-b23e-10b96e40000D';
    const of = (advertisingId: string, platform: 'ios' | 'android' | 'other') =>
      advertisingIdOf({ ...FULL_RECORD, platform, identifiers: { advertisingId } });
    assert.deepEqual([of(id, 'ios'), of(` ${id} `, 'android')], [id.toUpperCase(), id.toLowerCase()]);
    for (const none of ['', 'none', '00000000-0000-0000-0000-000000000000', id.slice(1)])
      assert.equal(of(none, 'android'), null);
    assert.equal(of(id, 'other'), null);
    assert.equal(vendorIdOf(FULL_RECORD), null);
  });

  it('an answer about consent is read in the words of phones and banners', () => {
    assert.deepEqual([true, 1, '1', 'granted', 'AUTHORIZED', 'yes'].map(consentOf), Array(6).fill(true));
    assert.deepEqual([false, 0, 'denied', 'Restricted', 'no'].map(consentOf), Array(5).fill(false));
    assert.deepEqual([null, undefined, '', 'maybe', {}, 2].map(consentOf), Array(6).fill(null));
  });
});
