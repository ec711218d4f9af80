import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { FULL_RECORD, SPARSE_RECORD } from '../../../../test/fixtures/forwarded-records.ts';
import { undeclaredFields } from '../../../../test/helpers/declared-fields.ts';
import { type Ga4Event, StandInGa4 } from '../../../../test/helpers/stand-in-ga4.ts';
import type { ForwardedRecord, Mapping } from '../destination-type.ts';
import { STANDARD_EVENT_NAMES } from '../standard-event-names.ts';
import { ga4 } from './ga4.ts';
import { toEventName } from './ga4-names.ts';

const RECORD: ForwardedRecord = { ...FULL_RECORD, deterministicOnly: false };

describe('destination ga4', () => {
  let standIn: StandInGa4;
  before(async () => {
    standIn = await new StandInGa4().open();
  });
  after(() => standIn.close());
  beforeEach(() => {
    standIn.stored.length = 0;
    standIn.dropped.length = 0;
  });

  const config = () => ({
    firebaseAppId: standIn.firebaseAppId,
    apiSecret: standIn.apiSecret,
  });
  const itemOf = (record: ForwardedRecord, mapping: Mapping = {}) => {
    const result = ga4.toItem(record, config(), mapping);
    assert.ok('item' in result, JSON.stringify(result));
    return result.item;
  };
  const eventOf = (fields: Partial<ForwardedRecord>, mapping: Mapping = {}): Ga4Event => {
    const [event] = itemOf({ ...RECORD, ...fields }, mapping).events as [Ga4Event];
    return event;
  };
  const sendOne = async (record: ForwardedRecord, isTest = false) => {
    const item = itemOf(record);
    const call = ga4.toCall([item], config(), isTest);
    assert.deepEqual(undeclaredFields(ga4, call), []);
    return ga4.readResponse(await standIn.receive(call), [item]);
  };

  it('makes the body of the page on sending events', () => {
    const record: ForwardedRecord = {
      ...{ ...RECORD, name: 'login', userId: null, revenue: null, transactionId: null },
      properties: { method: 'Google', engagement_time_msec: 100, session: 'SESSION_ID' },
      identifiers: { firebaseAppInstanceId: '0123456789ABCDEF0123456789abcdef' },
    };
    const body = itemOf(record, { fields: { session_id: 'properties.session' } });
    assert.deepEqual(body, {
      app_instance_id: '0123456789ABCDEF0123456789abcdef',
      timestamp_micros: 1_795_169_671_500_000,
      events: [
        {
          name: 'login',
          params: {
            ...{ method: 'Google', session_id: 'SESSION_ID', engagement_time_msec: 100 },
            session: 'SESSION_ID',
          },
        },
      ],
    });
  });

  it('stores installs, opens, every standard event and any other', async () => {
    const names = [
      ...Object.keys(STANDARD_EVENT_NAMES),
      'error',
      'firebase_x',
      '_x',
      '9lives',
      'my event',
      '購入',
    ];
    for (const name of names) await sendOne({ ...RECORD, name });
    await sendOne({ ...RECORD, kind: 'install', name: 'install', properties: {}, revenue: null });
    await sendOne({ ...RECORD, kind: 'open', name: 'open', properties: {}, revenue: null });
    assert.deepEqual(standIn.dropped, []);
    assert.equal(standIn.stored.length, names.length + 2);
  });

  it('names are made valid, and two of them stay two', () => {
    assert.equal(toEventName('error'), 'e_error');
    assert.equal(toEventName('first_open'), 'e_first_open');
    assert.equal(toEventName('ga_x'), 'e_ga_x');
    assert.equal(toEventName('9lives'), 'e_9lives');
    assert.notEqual(toEventName('🎉'), toEventName('🎊'));
    assert.equal(toEventName('my event!'), 'my_event_');
    assert.equal(toEventName('購入'), '購入');
    const long = ['a', 'b'].map((end) => toEventName(`${'x'.repeat(60)}${end}`));
    assert.deepEqual(
      long.map((name) => name.length),
      [40, 40],
    );
    assert.notEqual(long[0], long[1]);
  });

  it('standard events have the names of Google Analytics, and the mapping comes first', () => {
    assert.equal(
      eventOf({ name: 'spend_credits', properties: { credits: 5 } }).name,
      'spend_virtual_currency',
    );
    assert.equal(eventOf({ name: 'start_trial' }).name, 'start_trial');
    assert.equal(eventOf({ name: 'constructor' }).name, 'constructor');
    const mapping = { events: { install: 'campaign_details', pay: 'purchase' } };
    const install = eventOf({ kind: 'install', name: 'install', properties: {}, revenue: null }, mapping);
    assert.deepEqual(install, {
      name: 'campaign_details',
      params: {
        ...{ method: 'INSTALL_REFERRER', source: 'newsletter', medium: 'email', campaign: 'spring-sale' },
        ...{ campaign_id: '120330000000000001', short_code: 'spring' },
      },
    });
    assert.equal(eventOf({ name: 'pay' }, mapping).name, 'purchase');
  });

  it('a purchase has amount, currency, transaction and item, by the names of Google Analytics', () => {
    const properties = {
      item_id: 'SKU_12345',
      item_name: 'Stan and Friends Tee',
      category: 'Apparel',
      quantity: 3,
    };
    assert.deepEqual(eventOf({ properties, revenue: { amount: '30.03', currency: 'USD' } }), {
      name: 'purchase',
      params: {
        ...{ transaction_id: 'order-1001', value: 30.03, currency: 'USD' },
        items: [
          {
            ...{ item_id: 'SKU_12345', item_name: 'Stan and Friends Tee' },
            ...{ item_category: 'Apparel', quantity: 3 },
          },
        ],
      },
    });
  });

  it('a negative amount is a refund, whatever the event is called', () => {
    const mapping = { fields: { transaction_id: 'properties.order' } };
    const refund = { properties: { order: 'T_12345' }, revenue: { amount: '-0.10', currency: 'USD' } };
    const { name, params } = eventOf({ ...refund, name: 'subscribe' }, mapping);
    assert.deepEqual([name, params.transaction_id, params.value], ['refund', 'T_12345', 0.1]);
    assert.equal(eventOf({ ...refund, name: 'subscribe' }).params.transaction_id, RECORD.transactionId);
    assert.equal(eventOf({ ...refund, transactionId: null }).params.transaction_id, RECORD.id);
  });

  it('money is written with its own digits', () => {
    for (const amount of ['0.1', '19.99', '1234567.8901', '999999999999.25', '0']) {
      const { params } = eventOf({ revenue: { amount, currency: 'EUR' } });
      assert.match(JSON.stringify(params), new RegExp(`"value":${amount.replace('.', '\\.')}[,}]`));
    }
  });

  it('parameters are at most 25, and their texts at most 100 characters', () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`field ${n}`, 'x'.repeat(300)]));
    const { params } = eventOf({ properties: { ...many, ga_x: 1, list: [1], '9': true } });
    assert.equal(Object.keys(params).length, 25);
    assert.equal((params.field_0 as string).length, 100);
    assert.ok(!('ga_x' in params || 'list' in params));
    const { p_9 } = eventOf({ properties: { '9': true }, revenue: null, name: 'a' }).params;
    assert.equal(p_9, 'true');
  });

  it('says what to send if the Firebase SDK’s ID is unknown', () => {
    const result = ga4.toItem({ ...RECORD, identifiers: {} }, config(), {});
    assert.ok('unsendable' in result);
    assert.match(result.unsendable, /getAppInstanceId.*set_identifiers/);
    assert.equal(result.missingIdentifier, 'firebaseAppInstanceId');
  });

  it('refuses what is no ID of the Firebase SDK, which Google would drop without a word', async () => {
    for (const id of ['fRNBwQ9kTkuXzV0Zy1Ab2C', '0123456789abcdef0123456789abcde', `${'0'.repeat(32)}\n`]) {
      const result = ga4.toItem({ ...RECORD, identifiers: { firebaseAppInstanceId: id } }, config(), {});
      assert.ok('unsendable' in result && result.missingIdentifier === undefined);
      assert.match(result.unsendable, /32 hexadecimal digits.*getAppInstanceId\(\)/);
      const item = { ...itemOf(RECORD), app_instance_id: id };
      const said = ga4.readResponse(await standIn.receive(ga4.toCall([item], config(), true)), [item]);
      assert.match(JSON.stringify(said), /32 digit hexadecimal/);
    }
  });

  it('records of another platform than firebaseAppId’s are left out', () => {
    for (const record of [{ ...RECORD, platform: 'ios' as const }, SPARSE_RECORD])
      assert.match(JSON.stringify(ga4.toItem(record, config(), {})), /leftOut.*another platform/);
  });

  it('consent is told if it is known, and denied for deterministicOnly', () => {
    const mapping = { fields: { ad_user_data: 'properties.ads', ad_personalization: 'properties.personal' } };
    assert.equal(itemOf(RECORD).consent, undefined);
    assert.deepEqual(itemOf({ ...RECORD, properties: { ads: true, personal: 'denied' } }, mapping).consent, {
      ...{ ad_user_data: 'GRANTED', ad_personalization: 'DENIED' },
    });
    assert.deepEqual(
      itemOf({ ...RECORD, deterministicOnly: true, properties: { ads: true } }, mapping).consent,
      {
        ...{ ad_user_data: 'DENIED', ad_personalization: 'DENIED' },
      },
    );
  });

  it('a user ID that is an e-mail address stays here', () => {
    assert.equal(itemOf(RECORD).user_id, 'user-1001');
    assert.equal(itemOf({ ...RECORD, userId: 'ana@example.com' }).user_id, undefined);
  });

  it('a test is validated, stored nowhere, and its faults are told', async () => {
    assert.equal(await sendOne(RECORD, true), null);
    const item = { ...itemOf(RECORD), events: [{ name: '_badEventName', params: {} }] };
    const response = await standIn.receive(ga4.toCall([item], config(), true));
    assert.equal(standIn.stored.length, 0);
    const { validation_behavior } = JSON.parse(standIn.requests.at(-1)?.body ?? '');
    assert.equal(validation_behavior, 'ENFORCE_RECOMMENDATIONS');
    assert.deepEqual(ga4.readResponse(response, [item]), [
      {
        outcome: 'refused',
        reason:
          'Event at index: [0] has invalid name [_badEventName]. Names must start with an alphabetic character.',
      },
    ]);
  });

  it('an event is stored up to the age that is declared', async () => {
    const at = (ageMs: number) => ({ ...RECORD, occurredAt: new Date(standIn.nowMs - ageMs).toISOString() });
    const { maxAgeMs } = ga4.limits;
    await sendOne(at(maxAgeMs ?? 0));
    await sendOne(at((maxAgeMs ?? 0) + 60_000));
    assert.deepEqual([standIn.stored.length, standIn.dropped], [1, ['older than 72 hours']]);
  });

  it('a wrong secret is answered like a right one; 429 is left to the status', async () => {
    const call = ga4.toCall([itemOf(RECORD)], { ...config(), apiSecret: 'other' }, false);
    const response = await standIn.receive(call);
    assert.deepEqual([response.status, standIn.stored.length], [204, 0]);
    assert.equal(ga4.readResponse(response, [itemOf(RECORD)]), null);
    standIn.next.push({ status: 429, body: '' });
    assert.equal(await sendOne(RECORD), null);
  });

  it('the secret is in the query, as Google wants it, and eu is another address', () => {
    const { firebaseAppId } = standIn;
    const inEurope = ga4.toCall([], { firebaseAppId, apiSecret: 'a b!', region: 'eu' }, false);
    assert.equal(
      inEurope.url,
      'https://region1.google-analytics.com/mp/collect?firebase_app_id=1%3A1234567890%3Aandroid%3A321abc456def7890&api_secret=a%20b!',
    );
    const { url } = ga4.toCall([], { firebaseAppId, apiSecret: 's' }, true);
    assert.match(url, /^https:\/\/www\.google-analytics\.com\/debug\/mp\/collect\?/);
    assert.ok(Check(ga4.config, config()));
    assert.ok(!Check(ga4.config, { ...config(), firebaseAppId: 'G-12345' }));
  });
});
