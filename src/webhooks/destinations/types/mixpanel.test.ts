import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { FULL_RECORD, SPARSE_RECORD } from '../../../../test/fixtures/forwarded-records.ts';
import { send } from '../../../../test/helpers/stand-in.ts';
import { type MixpanelEvent, StandInMixpanel } from '../../../../test/helpers/stand-in-mixpanel.ts';
import type { ForwardedRecord, Mapping } from '../destination-type.ts';
import { mixpanel } from './mixpanel.ts';

const EXAMPLE = { projectId: '117', username: 'a', secret: 'b' };
const DEVICE = { identifiers: { mixpanelDistinctId: '$device:91304156-cafc-4673-a237-623d1129c801' } };

describe('destination mixpanel', () => {
  let standIn: StandInMixpanel;
  before(async () => {
    standIn = await new StandInMixpanel().open();
  });
  after(() => standIn.close());
  beforeEach(() => standIn.stored.clear());

  const exchange = async (events: MixpanelEvent[], fields: object = {}) => {
    const { projectId, username, secret, baseUrl } = standIn;
    const config = { projectId, username, secret, baseUrl, ...fields };
    const response = await send(mixpanel.toCall(events, config, false));
    return { status: response.status, results: mixpanel.readResponse(response, events) };
  };

  it('sends events, installs and opens as Mixpanel takes them', async () => {
    const open = { ...FULL_RECORD, kind: 'open' as const, name: 'open' };
    const { status, results } = await exchange(
      [FULL_RECORD, SPARSE_RECORD, open].map((record) => eventOf(record)),
    );
    assert.deepEqual([status, results], [200, null]);
    const names = [...standIn.stored.values()].map(({ event }) => event);
    assert.deepEqual(names, ['purchase', 'Install Attributed', 'Deep Link Opened']);
  });

  it('an event has milliseconds, its properties, revenue, device and what is known of the install', () => {
    const { event, properties } = eventOf(FULL_RECORD);
    assert.equal(event, 'purchase');
    const expected = {
      ...FULL_RECORD.properties,
      ...{ time: 1_795_169_671_500, $insert_id: FULL_RECORD.id, revenue: 19.99, currency: 'EUR', ip: 0 },
      ...{ $os: 'Android', $os_version: '16', $model: 'Pixel 9', $app_version_string: '3.2.1' },
      ...{ mp_country_code: 'AT', utm_source: 'newsletter', ad_network: 'meta', ad_campaign: 'Spring' },
    };
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(properties[name], value, name);
  });

  for (const [who, fields, [distinctId, deviceId, userId]] of [
    ['the install', {}, [`$device:${FULL_RECORD.installId}`, FULL_RECORD.installId, undefined]],
    ['a user', { userId: 'u-1' }, ['u-1', FULL_RECORD.installId, 'u-1']],
    [
      'the SDK’s device',
      DEVICE,
      [DEVICE.identifiers.mixpanelDistinctId, '91304156-cafc-4673-a237-623d1129c801', undefined],
    ],
    [
      'the SDK’s device and a user',
      { ...DEVICE, userId: 'u-1' },
      ['u-1', '91304156-cafc-4673-a237-623d1129c801', 'u-1'],
    ],
    ['the SDK’s user', { identifiers: { mixpanelDistinctId: 'u-2' } }, ['u-2', FULL_RECORD.installId, 'u-2']],
    [
      'an identifier that Mixpanel refuses',
      { userId: 'anonymous' },
      [`$device:${FULL_RECORD.installId}`, FULL_RECORD.installId, undefined],
    ],
  ] as const)
    it(`knows ${who}`, async () => {
      const event = eventOf({ ...SPARSE_RECORD, ...fields });
      const { distinct_id, $device_id, $user_id } = event.properties;
      assert.deepEqual([distinct_id, $device_id, $user_id], [distinctId, deviceId, userId]);
      assert.equal((await exchange([event])).status, 200);
    });

  it('an app’s properties cannot stand for Mixpanel’s own', async () => {
    const properties = {
      token: 'x',
      ip: '8.8.8.8',
      time: 1,
      $user_id: 'other',
      distinct_id: 'other',
      $insert_id: '!',
      $set: 1,
    };
    const event = eventOf({
      ...SPARSE_RECORD,
      kind: 'event',
      name: 'e',
      properties: { ...properties, kept: 1 },
    });
    const { token, ip, time, $user_id, $set, kept } = event.properties;
    assert.deepEqual([token, ip, $user_id, $set, kept], [undefined, 0, undefined, undefined, 1]);
    assert.equal(time, Date.parse(SPARSE_RECORD.occurredAt));
    assert.equal((await exchange([event])).status, 200);
  });

  it('names that Mixpanel keeps for itself are not sent unless they are mapped', () => {
    const record = { ...FULL_RECORD, name: '$merge', properties: { $distinct_ids: ['a', 'b'] } };
    assert.match(JSON.stringify(mixpanel.toItem(record, EXAMPLE, {})), /keeps names such as “\$merge”/);
    assert.equal(eventOf(record, { events: { $merge: 'merged' } }).event, 'merged');
  });

  it('records that Mixpanel refuses end with its reason, and the others are stored', async () => {
    const old = eventOf({ ...FULL_RECORD, occurredAt: '1970-06-01T00:00:00.000Z' });
    const deep = eventOf({ ...FULL_RECORD, properties: { a: { b: { c: { d: {} } } } } });
    const { status, results } = await exchange([old, eventOf(SPARSE_RECORD), deep]);
    assert.equal(status, 400);
    assert.deepEqual(results, [
      { outcome: 'refused', reason: "Mixpanel: 'properties.time' is invalid" },
      { outcome: 'accepted' },
      { outcome: 'refused', reason: "Mixpanel: 'properties.a' is invalid" },
    ]);
    assert.equal(standIn.stored.size, 1);
  });

  it('Mixpanel’s own example of a refusal is read by its indexes', () => {
    const message = "properties.time' is invalid: must be specified as seconds since epoch";
    const failed_records = [
      { index: 0, $insert_id: '8a66058c-a56d-4ef6-8123-28b7c9f7e82f', field: 'properties.time', message },
      {
        index: 3,
        $insert_id: '29fc2962-6d9c-455d-95ad-95b84f09b9e4',
        field: 'properties.utm_source',
        message: 'x',
      },
    ];
    const error = 'some data points in the request failed validation';
    const results = read(
      400,
      { code: 400, error, failed_records, num_records_imported: 23, status: 'Bad Request' },
      25,
    );
    assert.ok(Array.isArray(results));
    assert.deepEqual(results[0], { outcome: 'refused', reason: `Mixpanel: ${message}` });
    assert.deepEqual(
      results.flatMap(({ outcome }, index) => (outcome === 'refused' ? [index] : [])),
      [0, 3],
    );
  });

  it('a repeated record is stored once', async () => {
    for (let times = 0; times < 2; times++) await exchange([eventOf(FULL_RECORD)]);
    assert.equal(standIn.stored.size, 1);
  });

  it('a wrong secret or project refuses the call; 429 and 5xx are for later', async () => {
    for (const fields of [{ secret: 'wrong' }, { projectId: '118' }])
      assert.deepEqual(await exchange([eventOf(FULL_RECORD)], fields), { status: 401, results: null });
    for (const status of [401, 429, 502, 504]) assert.equal(read(status, '', 2), null);
  });

  it('a refusal that names no record, or was cut off, is of the whole call', () => {
    for (const body of [
      '{"failed_records":[{"ind',
      '',
      {},
      { failed_records: [] },
      { failed_records: 'x' },
      { failed_records: [{ message: 'x' }] },
      { failed_records: [{ index: 2 }] },
    ])
      assert.equal(read(400, body, 2), null);
    assert.equal(read(413, '', 2), null);
  });

  it('is called strictly, in the region of the project', () => {
    const urls = (['us', 'eu', 'in'] as const).map(
      (region) => mixpanel.toCall([], { ...EXAMPLE, region }, false).url,
    );
    assert.deepEqual(urls, [
      'https://api.mixpanel.com/import?strict=1&project_id=117',
      'https://api-eu.mixpanel.com/import?strict=1&project_id=117',
      'https://api-in.mixpanel.com/import?strict=1&project_id=117',
    ]);
  });

  it('refuses a project that would change the address', () => {
    assert.ok(Check(mixpanel.config, EXAMPLE));
    for (const projectId of ['117&strict=0', '', 'a'])
      assert.ok(!Check(mixpanel.config, { ...EXAMPLE, projectId }));
  });
});

function eventOf(record: ForwardedRecord, mapping: Mapping = {}): MixpanelEvent {
  const made = mixpanel.toItem(record, EXAMPLE, mapping);
  assert.ok('item' in made);
  return made.item as MixpanelEvent;
}

function read(status: number, body: unknown, count: number) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return mixpanel.readResponse(
    { status, body: text },
    Array.from({ length: count }, () => ({})),
  );
}
