import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { FULL_RECORD, SPARSE_RECORD } from '../../../../test/fixtures/forwarded-records.ts';
import { undeclaredFields } from '../../../../test/helpers/declared-fields.ts';
import { type MetaEvent, refusal, StandInMeta } from '../../../../test/helpers/stand-in-meta.ts';
import type { ForwardedRecord, Mapping } from '../destination-type.ts';
import { STANDARD_EVENT_NAMES } from '../standard-event-names.ts';
import { meta } from './meta.ts';

const RECORD: ForwardedRecord = { ...FULL_RECORD, deterministicOnly: false };
const IOS: ForwardedRecord = { ...RECORD, platform: 'ios' };
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('destination meta', () => {
  let standIn: StandInMeta;
  before(async () => {
    standIn = await new StandInMeta().open();
  });
  after(() => standIn.close());
  beforeEach(() => {
    standIn.stored.clear();
    standIn.tested.length = 0;
  });

  const config = () => ({
    datasetId: standIn.datasetId,
    accessToken: standIn.accessToken,
    testEventCode: standIn.testEventCode,
  });
  const eventOf = (record: ForwardedRecord, mapping: Mapping = {}): MetaEvent => {
    const result = meta.toItem(record, config(), mapping);
    assert.ok('item' in result, JSON.stringify(result));
    return result.item as MetaEvent;
  };
  const unsendable = (record: ForwardedRecord) => {
    const result = meta.toItem(record, config(), {});
    assert.ok('unsendable' in result);
    return result;
  };
  const sendAll = async (events: readonly MetaEvent[], isTest = false) => {
    const call = meta.toCall(events, config(), isTest);
    assert.deepEqual(undeclaredFields(meta, call), []);
    return meta.readResponse(await standIn.receive(call), events);
  };

  it('makes the purchase of the page on app events, as far as the service knows it', () => {
    const record: ForwardedRecord = {
      ...RECORD,
      occurredAt: '2023-05-18T06:02:32.000Z',
      userId: null,
      properties: {},
      revenue: { amount: '142.52', currency: 'USD' },
      app: { ...RECORD.app, androidPackage: 'com.some.app' },
      identifiers: {
        advertisingId: '38400000-8CF0-11BD-B23E-10B96E40000D',
        metaAnonymousId: '12345340-1234-3456-1234-123456789012',
      },
      device: {
        ...RECORD.device,
        model: 'OnePlus6',
        osVersion: '10.1.1',
        locale: 'en-US',
        appVersion: '7.7.1',
      },
    };
    assert.deepEqual(eventOf({ ...record, device: { ...record.device, userAgent: null } }), {
      event_name: 'Purchase',
      event_time: 1_684_389_752,
      event_id: RECORD.id,
      action_source: 'app',
      user_data: {
        madid: '38400000-8cf0-11bd-b23e-10b96e40000d',
        anon_id: '12345340-1234-3456-1234-123456789012',
      },
      custom_data: { currency: 'USD', value: 142.52, order_id: 'order-1001' },
      app_data: {
        advertiser_tracking_enabled: 1,
        application_tracking_enabled: 1,
        extinfo: [
          ...['a2', 'com.some.app', '7.7.1', '7.7.1', '10.1.1', 'OnePlus6', 'en_US', '', ''],
          ...['', '', '', '', '', '', ''],
        ],
      },
    });
    const install = eventOf({
      ...record,
      kind: 'install',
      name: 'install',
      revenue: null,
      transactionId: null,
    });
    assert.equal(install.event_name, 'MobileAppInstall');
    assert.equal('custom_data' in install, false);
  });

  it('Meta receives installs, opens, every standard event and any other', async () => {
    const names = [...Object.keys(STANDARD_EVENT_NAMES), 'my event', ' -x', '購入', '登録', 'x'.repeat(60)];
    const events = names.map((name, n) => eventOf({ ...RECORD, name, id: `${n}` }));
    events.push(eventOf({ ...IOS, kind: 'install', name: 'install', properties: {}, revenue: null }));
    events.push(eventOf({ ...RECORD, kind: 'open', name: 'open', properties: {}, revenue: null }));
    assert.equal(await sendAll(events), null);
    assert.equal(standIn.stored.size, events.length);
    assert.equal(new Set(events.map(({ event_name }) => event_name)).size, events.length);
  });

  it('standard events have the names of the Conversions API, and the mapping comes first', () => {
    const nameOf = (name: string, events = {}) => eventOf({ ...RECORD, name }, { events }).event_name;
    assert.equal(nameOf('add_to_cart'), 'AddToCart');
    assert.equal(nameOf('level_up'), 'fb_mobile_level_achieved');
    assert.equal(nameOf('generate_lead'), 'Lead');
    assert.equal(nameOf('share'), 'share');
    assert.equal(nameOf('toString'), 'toString');
    assert.equal(nameOf('level_up', { level_up: 'LevelUp' }), 'LevelUp');
  });

  it('users are hashed in small letters without spaces, and devices are not', () => {
    const { user_data } = eventOf({ ...RECORD, userId: ' User-1001 ' });
    assert.deepEqual(user_data, {
      madid: '38400000-8cf0-11bd-b23e-10b96e40000d',
      anon_id: 'XZ1234',
      external_id: [sha256('user-1001')],
      client_user_agent: 'Mozilla/5.0 (Linux; Android 16; Pixel 9)',
    });
    assert.ok(!JSON.stringify(eventOf(RECORD)).includes('user-1001'));
  });

  it('an event has what Meta names of its properties, and nothing else', () => {
    const properties = {
      ...{ item_id: 'shoes-42', item_name: 'Shoes', category: 'Boots', quantity: 2, value: '9.50' },
      ...{ currency: 'eur', search_term: 'boots', secret: 'stays' },
    };
    const cart = { ...RECORD, name: 'add_to_cart', properties, revenue: null, transactionId: null };
    assert.deepEqual(eventOf(cart).custom_data, {
      ...{
        value: 9.5,
        currency: 'EUR',
        content_ids: ['shoes-42'],
        contents: [{ id: 'shoes-42', quantity: 2 }],
      },
      ...{ num_items: 2, content_type: 'product', content_name: 'Shoes', content_category: 'Boots' },
      search_string: 'boots',
    });
  });

  it('on iOS tracking is on only with an advertising ID that is not zeros, or as the app says', () => {
    const trackingOf = (record: ForwardedRecord, mapping: Mapping = {}) =>
      eventOf(record, mapping).app_data.advertiser_tracking_enabled;
    const zeros = { ...IOS.identifiers, advertisingId: '00000000-0000-0000-0000-000000000000' };
    assert.equal(trackingOf(IOS), 1);
    assert.equal(trackingOf({ ...IOS, identifiers: zeros }), 0);
    assert.ok(!('madid' in eventOf({ ...IOS, identifiers: zeros }).user_data));
    const mapping = { fields: { advertiser_tracking_enabled: 'properties.att' } };
    assert.equal(trackingOf({ ...IOS, properties: { att: false } }, mapping), 0);
    const { vendor_id, extinfo } = eventOf(IOS).app_data;
    assert.equal(vendor_id, IOS.identifiers.vendorId);
    assert.deepEqual((extinfo as string[]).slice(0, 2), ['i2', 'app.paperboat']);
  });

  it('a person of deterministicOnly is marked for limited data use, with tracking off', async () => {
    const event = eventOf(FULL_RECORD);
    const { advertiser_tracking_enabled, application_tracking_enabled } = event.app_data;
    assert.deepEqual([advertiser_tracking_enabled, application_tracking_enabled], [0, 0]);
    assert.deepEqual(event.data_processing_options, ['LDU']);
    assert.equal(eventOf(RECORD).data_processing_options, undefined);
    assert.equal(await sendAll([event]), null);
  });

  it('what Meta would refuse is not sent, and the text says what to do', () => {
    const none = unsendable({ ...RECORD, userId: null, identifiers: {} });
    assert.match(none.unsendable, /advertisingId or metaAnonymousId with set_identifiers/);
    assert.equal(none.missingIdentifier, 'advertisingId');
    const { device } = RECORD;
    assert.match(
      unsendable({ ...RECORD, device: { ...device, osVersion: null } }).unsendable,
      /send osVersion/,
    );
    assert.match(unsendable({ ...RECORD, revenue: null }).unsendable, /send revenue/);
  });

  it('a refund, and a record of neither platform, is left out', () => {
    const refund = { ...RECORD, revenue: { amount: '-1', currency: 'EUR' } };
    assert.match(JSON.stringify(meta.toItem(refund, config(), {})), /leftOut.*no refunds/);
    assert.match(JSON.stringify(meta.toItem(SPARSE_RECORD, config(), {})), /leftOut.*iOS and Android only/);
  });

  it('a test goes to Test events', async () => {
    assert.equal(await sendAll([eventOf(RECORD)], true), null);
    assert.deepEqual([standIn.tested.length, standIn.stored.size], [1, 0]);
  });

  it('a repeated record is stored once', async () => {
    await sendAll([eventOf(RECORD)]);
    await sendAll([eventOf(RECORD), eventOf({ ...RECORD, name: 'rate' })]);
    assert.equal(standIn.stored.size, 2);
  });

  it('a call of the greatest count is accepted, and one of the greatest age', async () => {
    const occurredAt = new Date(standIn.nowMs - (meta.limits.maxAgeMs ?? 0)).toISOString();
    const event = eventOf({ ...RECORD, occurredAt });
    assert.equal(await sendAll(Array.from({ length: meta.limits.maxItems }, () => event)), null);
    assert.ok(Buffer.byteLength(JSON.stringify(event)) * meta.limits.maxItems < 2 * meta.limits.maxBytes);
  });

  it('one wrong event refuses the call whole, with Meta’s words', async () => {
    const old = eventOf({ ...RECORD, occurredAt: '2026-11-01T00:00:00.000Z' });
    const results = await sendAll([eventOf(RECORD), old]);
    assert.equal(standIn.stored.size, 0);
    assert.deepEqual(results, {
      refusedWhole:
        'Meta: The timestamp for this event is too far in the past. Events need to be sent within 7 days.',
    });
  });

  it('with a wrong token the records wait for another one', async () => {
    const call = meta.toCall([eventOf(RECORD)], { ...config(), accessToken: 'old' }, false);
    const results = meta.readResponse(await standIn.receive(call), [{}, {}]);
    assert.ok(Array.isArray(results));
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['retry', 'retry'],
    );
    assert.match(JSON.stringify(results), /Invalid OAuth access token.*Enter another accessToken/);
  });

  it('too many calls and Meta’s own faults are tried again, whatever their status', async () => {
    const event = eventOf(RECORD);
    for (const code of [2, 4, 17, 613, 80_004]) {
      standIn.next.push(refusal(code, 'OAuthException', 'Application request limit reached'));
      assert.match(JSON.stringify(await sendAll([event])), /"retry".*request limit reached/, `code ${code}`);
    }
    standIn.next.push({ status: 429, body: '' }, { status: 503, body: 'busy' });
    assert.equal(await sendAll([event]), null);
    assert.equal(await sendAll([event]), null);
    standIn.next.push({ status: 200, body: { events_received: 0, messages: [] } });
    assert.match(JSON.stringify(await sendAll([event])), /"retry".*received 0 of 1/);
  });

  it('is called at its version and dataset, with the token in the query', () => {
    const { url, body } = meta.toCall([], { datasetId: '42', accessToken: 'a+b' }, true);
    assert.equal(url, 'https://graph.facebook.com/v25.0/42/events?access_token=a%2Bb');
    assert.equal(body, '{"data":[]}');
    assert.ok(Check(meta.config, config()));
    assert.ok(!Check(meta.config, { ...config(), datasetId: '../me' }));
  });
});
