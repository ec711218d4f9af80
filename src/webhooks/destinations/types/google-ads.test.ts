import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { FULL_RECORD, SPARSE_RECORD } from '../../../../test/fixtures/forwarded-records.ts';
import { undeclaredFields } from '../../../../test/helpers/declared-fields.ts';
import { StandInGoogleAds } from '../../../../test/helpers/stand-in-google-ads.ts';
import { VERSION } from '../../../lib/version.ts';
import type { ForwardedRecord, Mapping } from '../destination-type.ts';
import { STANDARD_EVENT_NAMES } from '../standard-event-names.ts';
import { googleAds } from './google-ads.ts';

const RECORD: ForwardedRecord = { ...FULL_RECORD, deterministicOnly: false };
const NO_CLICK = { gclid: null, gbraid: null };

describe('destination google_ads', () => {
  let standIn: StandInGoogleAds;
  before(async () => {
    standIn = await new StandInGoogleAds().open();
  });
  after(() => standIn.close());
  beforeEach(() => {
    standIn.conversions.length = 0;
  });

  const config = () => ({
    ...{ devToken: standIn.devToken, linkId: standIn.linkId },
  });
  const itemOf = (record: ForwardedRecord, mapping: Mapping = {}) => {
    const result = googleAds.toItem(record, config(), mapping);
    assert.ok('item' in result, JSON.stringify(result));
    return result.item;
  };
  const unsendable = (record: ForwardedRecord) => {
    const result = googleAds.toItem(record, config(), {});
    assert.ok('unsendable' in result);
    return result;
  };
  const sendOne = async (record: ForwardedRecord, mapping: Mapping = {}) => {
    const item = itemOf(record, mapping);
    const call = googleAds.toCall([item], config(), false);
    assert.deepEqual(undeclaredFields(googleAds, call), []);
    return googleAds.readResponse(await standIn.receive(call), [item]);
  };

  it('makes the first open of Google’s privacy guide', () => {
    const record: ForwardedRecord = {
      ...{ ...RECORD, kind: 'install', name: 'install', properties: {}, revenue: null },
      occurredAt: '2015-05-26T23:11:53.123Z',
      device: { ...RECORD.device, appVersion: '1.2.4', osVersion: '9.3.2', country: 'US' },
      identifiers: { advertisingId: '0f7ab11f-da50-498e-b225-21ac1977a85d' },
      googleClickIds: { gclid: 'BX3QojHp4mY5MrJtFM_d1u', gbraid: null },
    };
    const { devToken, linkId } = standIn;
    const { url } = googleAds.toCall([itemOf(record)], { devToken, linkId }, false);
    assert.equal(
      url,
      [
        'https://www.googleadservices.com/pagead/conversion/app/1.0',
        '?dev_token=Z_eErE4DkvcKjDM1OVE4c4&link_id=31FF8D67E5BB5DD5029DCC2734C2F884',
        '&app_event_type=first_open&rdid=0f7ab11f-da50-498e-b225-21ac1977a85d&id_type=advertisingid&lat=0',
        '&market_referrer_gclid=BX3QojHp4mY5MrJtFM_d1u&app_version=1.2.4&os_version=9.3.2',
        `&sdk_version=${VERSION}&timestamp=1432681913.123000&eea=0`,
      ].join(''),
    );
  });

  it('Google takes installs, opens, every standard event and any other', async () => {
    const names = [
      ...Object.keys(STANDARD_EVENT_NAMES),
      'my event',
      '購入',
      'toString',
      'custom',
      'first_open',
    ];
    for (const name of names) assert.equal(await sendOne({ ...RECORD, name }), null, name);
    assert.equal(standIn.conversions.length, names.length);
    const nameOf = ({ query }: ReturnType<typeof itemOf>) => [query.app_event_type, query.app_event_name];
    assert.deepEqual(nameOf(itemOf({ ...RECORD, name: 'search' })), ['view_search_results', undefined]);
    assert.deepEqual(nameOf(itemOf({ ...RECORD, name: 'level_up' })), ['custom', 'level_up']);
    assert.deepEqual(nameOf(itemOf(RECORD, { events: { purchase: 'first_buy' } })), ['custom', 'first_buy']);
    assert.deepEqual(nameOf(itemOf({ ...RECORD, name: 'first_open' })), ['custom', 'first_open']);
    const long = ['a', 'b'].map((end) => nameOf(itemOf({ ...RECORD, name: `${'🎉'.repeat(254)}${end}` }))[1]);
    assert.notEqual(long[0], long[1]);
    assert.equal([...(long[0] ?? '')].length, 100);
    const open = itemOf({ ...RECORD, kind: 'open', name: 'open', properties: {}, revenue: null });
    assert.deepEqual(nameOf(open), ['session_start', undefined]);
  });

  it('an amount is written as it was sent', () => {
    const { value, currency_code } = itemOf({
      ...RECORD,
      revenue: { amount: '1.990', currency: 'USD' },
    }).query;
    assert.deepEqual([value, currency_code], ['1.990', 'USD']);
  });

  it('without an advertising ID the click of Play’s referrer is enough on Android', async () => {
    standIn.clicks.add('Cj0KCQ');
    const record = { ...RECORD, identifiers: {} };
    const { rdid, lat, gclid_only_request, market_referrer_gclid } = itemOf(record).query;
    assert.equal(rdid, '00000000-0000-0000-0000-000000000000');
    assert.deepEqual([lat, gclid_only_request, market_referrer_gclid], ['1', '1', 'Cj0KCQ']);
    assert.equal(await sendOne(record), null);
    assert.equal(standIn.conversions.length, 1);
  });

  it('the phone’s zeros are no advertising ID, and iOS has its own in capitals', () => {
    const identifiers = { advertisingId: '00000000-0000-0000-0000-000000000000' };
    assert.equal(itemOf({ ...RECORD, identifiers }).query.lat, '1');
    const { rdid, id_type } = itemOf({ ...RECORD, platform: 'ios' }).query;
    assert.deepEqual([rdid, id_type], ['38400000-8CF0-11BD-B23E-10B96E40000D', 'idfa']);
  });

  it('a person of deterministicOnly is sent without advertising ID, and as one who denied', () => {
    const { query } = itemOf(FULL_RECORD);
    assert.equal(query.lat, '1');
    assert.ok(!JSON.stringify(query).includes(RECORD.identifiers.advertisingId ?? ''));
    assert.deepEqual([query.eea, query.ad_user_data, query.ad_personalization], ['1', '0', '0']);
  });

  it('consent is told if the app says it', () => {
    const mapping = { fields: { ad_user_data: 'properties.ads', ad_personalization: 'properties.none' } };
    const { query } = itemOf({ ...RECORD, properties: { ads: 'granted' } }, mapping);
    assert.deepEqual([query.eea, query.ad_user_data, query.ad_personalization], ['1', '1', undefined]);
  });

  it('the User-Agent is of the form that Google wants, whatever the phone calls itself', async () => {
    const agentOf = (model: string) =>
      itemOf({ ...RECORD, device: { ...RECORD.device, model } }).headers['user-agent'];
    assert.equal(
      agentOf('Pixel 9'),
      `Throughline ${VERSION} (Android 16; de_AT; Pixel 9; Build/unknown; Proxy)`,
    );
    const hostile = { ...RECORD.device, model: 'x) y;\r\nX-Evil: 1 (ü', locale: null };
    assert.equal(await sendOne({ ...RECORD, device: hostile }), null);
    assert.equal(standIn.requests.at(-1)?.headers['x-evil'], undefined);
  });

  it('an address leaves only if the app sends and maps one', () => {
    const record = { ...RECORD, properties: { ip: '203.0.113.7', other: 'x' } };
    assert.equal(itemOf(record).headers['x-forwarded-for'], undefined);
    const headersOf = (ip_address: string) => itemOf(record, { fields: { ip_address } }).headers;
    assert.equal(headersOf('properties.ip')['x-forwarded-for'], '203.0.113.7');
    assert.equal(headersOf('properties.other')['x-forwarded-for'], undefined);
  });

  it('what Google would refuse is not sent, and the text says what to do', () => {
    const none = unsendable({ ...RECORD, identifiers: {}, googleClickIds: NO_CLICK });
    assert.match(none.unsendable, /advertisingId with set_identifiers; on Android the gclid/);
    assert.equal(none.missingIdentifier, 'advertisingId');
    for (const missing of ['osVersion', 'appVersion'])
      assert.match(
        unsendable({ ...RECORD, device: { ...RECORD.device, [missing]: null } }).unsendable,
        /send appVersion and osVersion/,
      );
  });

  it('a refund, and a record of another platform, is left out', () => {
    const leftOut = (record: ForwardedRecord, more = {}) =>
      JSON.stringify(googleAds.toItem(record, { ...config(), ...more }, {}));
    const refund = { ...RECORD, revenue: { amount: '-1', currency: 'EUR' } };
    assert.match(leftOut(refund), /leftOut.*no refunds/);
    assert.match(leftOut(RECORD, { platform: 'ios' }), /leftOut.*ios app. Make another for android/);
    assert.match(leftOut(SPARSE_RECORD), /leftOut.*iOS and Android only/);
  });

  it('an error of Google refuses the record, in Google’s words, unless the conversion was attributed', async () => {
    const wrong = { ...itemOf(RECORD), query: { ...itemOf(RECORD).query, rdid: 'x' } };
    const response = await standIn.receive(googleAds.toCall([wrong], config(), false));
    assert.deepEqual(googleAds.readResponse(response, [wrong]), [
      { outcome: 'refused', reason: 'Google Ads: rdid_invalid' },
    ]);
    const body = JSON.stringify({ ad_events: [{}], errors: ['lat_deprecated'], attributed: true });
    assert.equal(googleAds.readResponse({ status: 200, body }, [wrong]), null);
  });

  it('a time that Google has not reached, a wrong key and too many calls are tried again', async () => {
    const item = itemOf({ ...RECORD, occurredAt: '2026-11-20T12:00:01.000Z' });
    const early = await standIn.receive(googleAds.toCall([item], config(), false));
    assert.match(JSON.stringify(googleAds.readResponse(early, [item])), /"retry".*timestamp_invalid/);
    for (const wrong of [{ devToken: 'x' }, { linkId: 'x' }]) {
      const response = await standIn.receive(
        googleAds.toCall([itemOf(RECORD)], { ...config(), ...wrong }, false),
      );
      assert.match(JSON.stringify(googleAds.readResponse(response, [item])), /"retry".*Check devToken/);
    }
    standIn.next.push({ status: 429, body: '' });
    assert.equal(await sendOne(RECORD), null);
  });

  it('takes the config that its descriptions describe', () => {
    assert.ok(Check(googleAds.config, config()));
    assert.ok(!Check(googleAds.config, { ...config(), linkId: 'a&b' }));
  });
});
