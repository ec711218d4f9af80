import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { FULL_RECORD, SPARSE_RECORD } from '../../../../test/fixtures/forwarded-records.ts';
import { undeclaredFields } from '../../../../test/helpers/declared-fields.ts';
import { coded, StandInTikTok, type TikTokEvent } from '../../../../test/helpers/stand-in-tiktok.ts';
import type { ForwardedRecord, Mapping } from '../destination-type.ts';
import { STANDARD_EVENT_NAMES } from '../standard-event-names.ts';
import { tiktok } from './tiktok.ts';

const RECORD: ForwardedRecord = { ...FULL_RECORD, deterministicOnly: false };
const VENDOR_ID = 'B5372DB0-C21E-11E4-8DFC-AA07A5B093DB';
const IOS: ForwardedRecord = { ...RECORD, platform: 'ios' };

describe('destination tiktok', () => {
  let standIn: StandInTikTok;
  before(async () => {
    standIn = await new StandInTikTok().open();
  });
  after(() => standIn.close());
  beforeEach(() => {
    standIn.stored.clear();
    standIn.tested.length = 0;
  });

  const config = () => ({
    eventSourceId: standIn.eventSourceId,
    accessToken: standIn.accessToken,
    testEventCode: 'TEST54321',
  });
  const eventOf = (record: ForwardedRecord, mapping: Mapping = {}): TikTokEvent => {
    const result = tiktok.toItem(record, config(), mapping);
    assert.ok('item' in result, JSON.stringify(result));
    return result.item as TikTokEvent;
  };
  const unsendable = (record: ForwardedRecord) => {
    const result = tiktok.toItem(record, config(), {});
    assert.ok('unsendable' in result);
    return result;
  };
  const sendAll = async (events: readonly TikTokEvent[], isTest = false) => {
    const call = tiktok.toCall(events, config(), isTest);
    assert.deepEqual(undeclaredFields(tiktok, call), []);
    return tiktok.readResponse(await standIn.receive(call), events);
  };

  it('makes the install of TikTok’s page on reporting app events, as far as the service knows it', () => {
    const record: ForwardedRecord = {
      ...{ ...IOS, kind: 'install', name: 'install', properties: {}, revenue: null, transactionId: null },
      occurredAt: '2023-06-26T05:52:45.000Z',
      app: { ...IOS.app, name: 'Flying Sneakers', iosAppStoreId: '343200656' },
      device: { ...IOS.device, locale: 'en-US', appVersion: '3.0.2', userAgent: null },
      identifiers: { advertisingId: 'ea7583cd-a667-48bc-b806-42ecb2b48606', vendorId: VENDOR_ID },
    };
    const event = eventOf(record);
    const call = tiktok.toCall([event], { eventSourceId: '7', accessToken: 'token' }, false);
    assert.equal(call.url, 'https://business-api.tiktok.com/open_api/v1.3/event/track/');
    assert.equal(call.headers['access-token'], 'token');
    assert.deepEqual(JSON.parse(call.body), {
      event_source: 'app',
      event_source_id: '7',
      data: [
        {
          event: 'InstallApp',
          event_time: 1_687_758_765,
          event_id: RECORD.id,
          user: {
            ...{ idfa: 'EA7583CD-A667-48BC-B806-42ECB2B48606', idfv: VENDOR_ID },
            ...{ att_status: 'AUTHORIZED', locale: 'en-US' },
          },
          app: { app_id: '343200656', app_name: 'Flying Sneakers', app_version: '3.0.2' },
        },
      ],
    });
  });

  it('TikTok stores installs, opens, every standard event and any other', async () => {
    const names = [...Object.keys(STANDARD_EVENT_NAMES), 'my event', '購入', 'toString', '🎉', '9lives'];
    names.push('x'.repeat(255), `${'x'.repeat(254)}y`);
    const events = names.map((name, n) => eventOf({ ...(n % 2 ? RECORD : IOS), name, id: `${n}` }));
    events.push(eventOf({ ...IOS, kind: 'install', name: 'install', properties: {}, revenue: null }));
    events.push(eventOf({ ...RECORD, kind: 'open', name: 'open', properties: {}, revenue: null }));
    assert.equal(await sendAll(events), null);
    assert.equal(standIn.stored.size, events.length);
    assert.deepEqual(
      events.slice(-2).map(({ event }) => event),
      ['InstallApp', 'LaunchAPP'],
    );
  });

  it('names are made as TikTok takes them, and two of them stay two', () => {
    const nameOf = (name: string) => eventOf({ ...RECORD, name }).event as string;
    assert.deepEqual(['level-up', 'my event', '9lives'].map(nameOf), ['level-up', 'my_event', 'e_9lives']);
    assert.notEqual(nameOf('🎉'), nameOf('🎊'));
    const long = ['a', 'b'].map((end) => nameOf(`${'x'.repeat(254)}${end}`));
    assert.notEqual(long[0], long[1]);
    assert.deepEqual(
      long.map(({ length }) => length),
      [50, 50],
    );
  });

  it('standard events have TikTok’s names, and the mapping comes first', () => {
    const nameOf = (name: string, events = {}) => eventOf({ ...RECORD, name }, { events }).event;
    assert.equal(nameOf('begin_checkout'), 'Checkout');
    assert.equal(nameOf('sign_up'), 'Registration');
    assert.equal(nameOf('share'), 'share');
    assert.equal(nameOf('sign_up', { sign_up: 'SignUp' }), 'SignUp');
  });

  it('an event has amount, item and what else TikTok names, and nothing of the user', () => {
    const properties = {
      item_id: '12345',
      item_name: 'Sneakers',
      category: 'Shoes',
      quantity: 2,
      secret: 'stays',
    };
    const event = eventOf({ ...RECORD, properties, revenue: { amount: '200.00', currency: 'USD' } });
    assert.deepEqual(event.properties, {
      ...{ value: 200, currency: 'USD', order_id: 'order-1001', content_type: 'product', num_items: 2 },
      contents: [{ content_id: '12345', content_name: 'Sneakers', content_category: 'Shoes', quantity: 2 }],
    });
    assert.deepEqual(event.user, {
      ...{ gaid: '38400000-8cf0-11bd-b23e-10b96e40000d', att_status: 'NOT_APPLICABLE', locale: 'de-AT' },
      user_agent: 'Mozilla/5.0 (Linux; Android 16; Pixel 9)',
    });
    assert.ok(!JSON.stringify(event).includes('user-1001'));
  });

  it('the status of App Tracking Transparency follows from the advertising ID, or is what the app says', () => {
    const statusOf = (record: ForwardedRecord, mapping: Mapping = {}) =>
      eventOf(record, mapping).user.att_status;
    const identifiers = { vendorId: VENDOR_ID };
    assert.equal(statusOf({ ...IOS, identifiers }), 'NOT_DETERMINED');
    const zeros = { ...identifiers, advertisingId: '00000000-0000-0000-0000-000000000000' };
    assert.equal(statusOf({ ...IOS, identifiers: zeros }), 'NOT_DETERMINED');
    const mapping = { fields: { att_status: 'properties.att' } };
    for (const [att, expected] of [
      ['restricted', 'RESTRICTED'],
      [false, 'DENIED'],
      ['?', 'AUTHORIZED'],
    ])
      assert.equal(statusOf({ ...IOS, properties: { att } }, mapping), expected);
  });

  it('a person of deterministicOnly is marked for limited data use', () => {
    const { user, limited_data_use } = eventOf({ ...IOS, deterministicOnly: true });
    assert.deepEqual([user.att_status, limited_data_use], ['DENIED', true]);
    assert.equal('limited_data_use' in eventOf(RECORD), false);
  });

  it('what TikTok would refuse is not sent, and the text says what to do', () => {
    const none = unsendable({ ...IOS, identifiers: {} });
    assert.match(none.unsendable, /advertisingId or vendorId with set_identifiers/);
    assert.equal(none.missingIdentifier, 'advertisingId');
    assert.equal(
      unsendable({ ...RECORD, identifiers: { vendorId: 'x' } }).missingIdentifier,
      'advertisingId',
    );
    const app = { ...RECORD.app, androidPackage: null };
    assert.match(unsendable({ ...RECORD, app }).unsendable, /set androidPackage of the app/);
  });

  it('a refund, and a record of another platform, is left out', () => {
    const leftOut = (record: ForwardedRecord, more = {}) =>
      JSON.stringify(tiktok.toItem(record, { ...config(), ...more }, {}));
    const refund = { ...RECORD, revenue: { amount: '-1', currency: 'EUR' } };
    assert.match(leftOut(refund), /leftOut.*no refunds/);
    assert.match(leftOut(RECORD, { platform: 'ios' }), /leftOut.*ios app. Make another for android/);
    assert.match(leftOut(SPARSE_RECORD), /leftOut.*iOS and Android only/);
  });

  it('an identifier of another form is none, so that one phone does not refuse a call', () => {
    const identifiers = { advertisingId: 'none', vendorId: VENDOR_ID };
    const { idfa, idfv } = eventOf({ ...IOS, identifiers }).user;
    assert.deepEqual([idfa, idfv], [undefined, VENDOR_ID]);
    assert.ok('missingIdentifier' in unsendable({ ...RECORD, identifiers }));
  });

  it('a test has the code of Test events', async () => {
    assert.equal(await sendAll([eventOf(RECORD)], true), null);
    assert.deepEqual([standIn.tested.length, standIn.stored.size], [1, 0]);
  });

  it('a repeated record is stored once, and a call of the greatest count is accepted', async () => {
    assert.equal(await sendAll(Array.from({ length: 1_000 }, () => eventOf(RECORD))), null);
    assert.equal(standIn.stored.size, 1);
    assert.equal(tiktok.limits.maxItems, 1_000);
  });

  it('an answer of 200 with another code refuses the call whole, with TikTok’s words', async () => {
    const results = await sendAll([eventOf(RECORD), { ...eventOf(RECORD), event_time: 0 }]);
    assert.deepEqual(results, { refusedWhole: 'TikTok: Invalid value for event_time. (40002)' });
    assert.equal(standIn.stored.size, 0);
    standIn.next.push(coded(20_001, 'Partial success'));
    assert.equal(await sendAll([eventOf(RECORD)]), null);
  });

  it('with a wrong token, or one of another app, the records wait', async () => {
    for (const wrong of [{ accessToken: 'old' }, { eventSourceId: '8' }]) {
      const call = tiktok.toCall([eventOf(RECORD)], { ...config(), ...wrong }, false);
      const results = tiktok.readResponse(await standIn.receive(call), [{}]);
      assert.match(JSON.stringify(results), /"retry".*Enter another accessToken/);
    }
  });

  it('too many calls and TikTok’s own faults are tried again, although their status is 200', async () => {
    for (const code of [40_100, 40_133, 40_700, 50_000, 51_065]) {
      standIn.next.push(coded(code, 'Requests made too frequently'));
      assert.match(JSON.stringify(await sendAll([eventOf(RECORD)])), /"retry".*too frequently/, `${code}`);
    }
    standIn.next.push({ status: 429, body: '' });
    assert.equal(await sendAll([eventOf(RECORD)]), null);
  });

  it('takes the config that its descriptions describe', () => {
    assert.ok(Check(tiktok.config, config()));
    assert.ok(!Check(tiktok.config, { ...config(), accessToken: 'a\nb' }));
  });
});
