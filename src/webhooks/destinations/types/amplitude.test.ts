import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { FULL_RECORD, SPARSE_RECORD } from '../../../../test/fixtures/forwarded-records.ts';
import { send } from '../../../../test/helpers/stand-in.ts';
import { StandInAmplitude } from '../../../../test/helpers/stand-in-amplitude.ts';
import type { ForwardedRecord, Mapping } from '../destination-type.ts';
import { amplitude } from './amplitude.ts';

type Event = ReturnType<typeof eventOf>;

describe('destination amplitude', () => {
  let standIn: StandInAmplitude;
  before(async () => {
    standIn = await new StandInAmplitude().open();
  });
  after(() => standIn.close());
  beforeEach(() => {
    standIn.stored.clear();
    standIn.throttled.clear();
    standIn.overDailyQuota.clear();
  });

  const config = (fields: object = {}) => ({ apiKey: standIn.apiKey, baseUrl: standIn.baseUrl, ...fields });
  const exchange = async (events: Event[], fields: object = {}) => {
    const response = await send(amplitude.toCall(events, config(fields), false));
    return { status: response.status, results: amplitude.readResponse(response, events) };
  };

  it('sends events, installs and opens as Amplitude takes them', async () => {
    const open = { ...FULL_RECORD, kind: 'open' as const, name: 'open', id: numbered(1) };
    const { status, results } = await exchange(
      [FULL_RECORD, SPARSE_RECORD, open].map((record) => eventOf(record)),
    );
    assert.deepEqual([status, results], [200, null]);
    const names = [...standIn.stored.values()].map(({ event_type: name }) => name);
    assert.deepEqual(names, ['purchase', 'Install Attributed', 'Deep Link Opened']);
  });

  it('an event has milliseconds, revenue, identifiers, device and what is known of the install', () => {
    const { library, ...event } = eventOf(FULL_RECORD);
    assert.match(String(library), /^throughline\/\d/);
    assert.deepEqual(event, {
      event_type: 'purchase',
      time: 1_795_169_671_500,
      insert_id: FULL_RECORD.id,
      device_id: 'C8F9E604-F01A-4BD9-95C6-8E5357DF265D',
      user_id: 'user-1001',
      event_properties: { transaction_id: 'order-1001', ...FULL_RECORD.properties },
      user_properties: {
        attribution_method: 'INSTALL_REFERRER',
        attribution_campaign_id: FULL_RECORD.attribution.campaignId,
        attribution_link: 'spring',
        ...{ utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'spring-sale', ad_network: 'meta' },
        ...{ ad_campaign_id: '120330000000000001', ad_campaign: 'Spring', ad_group_id: '120330000000000002' },
        ...{ ad_group: 'Readers', ad_id: '120330000000000003', ad: 'Boat' },
      },
      ...{ revenue: 19.99, currency: 'EUR', app_version: '3.2.1', platform: 'Android', os_name: 'Android' },
      ...{ os_version: '16', device_model: 'Pixel 9', country: 'AT', language: 'de-AT' },
      ...{ idfv: FULL_RECORD.identifiers.vendorId, adid: FULL_RECORD.identifiers.advertisingId },
    });
  });

  it('the advertising identifier of an iPhone is its IDFA', () => {
    const { idfa, adid } = eventOf({ ...FULL_RECORD, platform: 'ios' });
    assert.deepEqual([idfa, adid], [FULL_RECORD.identifiers.advertisingId?.toUpperCase(), undefined]);
  });

  it('a refund is negative revenue', async () => {
    const refund = eventOf({ ...FULL_RECORD, revenue: { amount: '-1.99', currency: 'USD' } });
    assert.equal((await exchange([refund])).status, 200);
    assert.equal(standIn.stored.get(FULL_RECORD.id)?.revenue, -1.99);
  });

  it('short identifiers are kept, and those that Amplitude refuses are left out', async () => {
    for (const userId of ['7', 'anonymous', 'NULL', '0', '00000000-0000-0000-0000-000000000000']) {
      const event = eventOf({ ...FULL_RECORD, userId, identifiers: { amplitudeDeviceId: userId } });
      assert.equal((await exchange([event])).status, 200, userId);
      const [user, device] = userId === '7' ? ['7', '7'] : [undefined, FULL_RECORD.installId];
      assert.deepEqual([event.user_id, event.device_id], [user, device]);
    }
  });

  it('events that Amplitude refuses end, and the others are sent again', async () => {
    const wrong = { ...eventOf(FULL_RECORD), time: '2026-11-20' };
    const { status, results } = await exchange([eventOf(SPARSE_RECORD), wrong]);
    assert.equal(status, 400);
    assert.deepEqual(results, [
      { outcome: 'retry', reason: 'Amplitude refused other records of the call.' },
      { outcome: 'refused', reason: 'Amplitude: Invalid field values on some events: time' },
    ]);
    assert.equal(standIn.stored.size, 0);
  });

  it('Amplitude’s own example of a refusal is read by its indexes', () => {
    const lists = {
      events_with_invalid_fields: { time: [3, 4, 7] },
      events_with_missing_fields: { event_type: [0] },
    };
    const body = { code: 400, error: 'Request missing required field', ...lists, silenced_events: [1] };
    const results = read(400, body, 8) as { outcome: string; reason: string }[];
    const refused = results.flatMap(({ outcome }, index) => (outcome === 'refused' ? [index] : []));
    assert.deepEqual(refused, [0, 1, 3, 4, 7]);
    assert.equal(results[1]?.reason, 'Amplitude has silenced this device.');
  });

  it('records wait for the right key, and the wrong one is not repeated in the reason', async () => {
    const { results } = await exchange([eventOf(FULL_RECORD)], { apiKey: 'secret-of-another' });
    assert.deepEqual(results, [
      { outcome: 'retry', reason: 'Amplitude: Invalid API key. Set apiKey again.' },
    ]);
  });

  it('a throttled call waits whole; a device over its quota of the day ends', async () => {
    const [first, second] = [eventOf(FULL_RECORD), eventOf(SPARSE_RECORD)];
    standIn.throttled.add(first.device_id);
    assert.deepEqual(await exchange([first, second]), { status: 429, results: null });
    standIn.overDailyQuota.add(first.device_id);
    const { results } = await exchange([first, second]);
    assert.deepEqual(Array.isArray(results) && results.map(({ outcome }) => outcome), ['refused', 'retry']);
  });

  it('a call that is too large, or refused without a list, is refused whole', async () => {
    const large = eventOf({ ...FULL_RECORD, properties: { text: 'x'.repeat(1_000_000) } });
    const { status, results } = await exchange([large]);
    assert.equal(status, 413);
    assert.equal(results, null);
    for (const body of [
      { error: 'Invalid JSON request body' },
      { silenced_events: [2] },
      '<html>',
      'null',
      [],
    ])
      assert.equal(read(400, body, 2), null);
    for (const body of ['', '<html>', {}]) assert.equal(read(429, body, 2), null);
    assert.equal(read(500, '', 2), null);
  });

  it('a call of the greatest size that is declared is accepted', async () => {
    const { maxItems, maxBytes } = amplitude.limits;
    const events = Array.from({ length: maxItems }, (_, nth) => ({
      ...eventOf(SPARSE_RECORD),
      insert_id: numbered(nth),
    }));
    const padding = maxBytes - Buffer.byteLength(JSON.stringify(events)) - 100;
    const [first, ...others] = events;
    assert.ok(first !== undefined && padding > 0);
    const padded = { ...first, event_properties: { text: 'x'.repeat(padding) } };
    assert.equal((await exchange([padded, ...others])).status, 200);
    assert.equal(standIn.stored.size, maxItems);
  });

  it('names that Amplitude keeps for itself are not sent unless they are mapped', () => {
    for (const name of ['[Amplitude] Revenue', '$identify']) {
      const record = { ...FULL_RECORD, name };
      assert.match(JSON.stringify(amplitude.toItem(record, config(), {})), /keeps names such as/);
      assert.equal(eventOf(record, { events: { [name]: 'own' } }).event_type, 'own');
    }
  });

  it('is called in the region of the project', () => {
    const urls = ([{}, { region: 'eu' as const }] as const).map(
      (fields) => amplitude.toCall([], { apiKey: 'a', ...fields }, false).url,
    );
    assert.deepEqual(urls, [
      'https://api2.amplitude.com/2/httpapi',
      'https://api.eu.amplitude.com/2/httpapi',
    ]);
  });
});

function eventOf(record: ForwardedRecord, mapping: Mapping = {}) {
  const made = amplitude.toItem(record, { apiKey: 'a' }, mapping);
  assert.ok('item' in made);
  return made.item;
}

function read(status: number, body: unknown, count: number) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return amplitude.readResponse(
    { status, body: text },
    Array.from({ length: count }, () => eventOf(FULL_RECORD)),
  );
}

function numbered(nth: number): string {
  return `01985f2f-10d2-7b6a-a4c3-${String(nth).padStart(12, '0')}`;
}
