import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { FULL_RECORD, SPARSE_RECORD } from '../../../../test/fixtures/forwarded-records.ts';
import { send } from '../../../../test/helpers/stand-in.ts';
import { type PosthogEvent, StandInPosthog } from '../../../../test/helpers/stand-in-posthog.ts';
import type { ForwardedRecord, Mapping } from '../destination-type.ts';
import { posthog } from './posthog.ts';

describe('destination posthog', () => {
  let standIn: StandInPosthog;
  before(async () => {
    standIn = await new StandInPosthog().open();
  });
  after(() => standIn.close());
  beforeEach(() => {
    standIn.stored.clear();
  });

  const exchange = async (events: PosthogEvent[], fields: object = {}) => {
    const config = { projectKey: standIn.projectKey, baseUrl: standIn.baseUrl, ...fields };
    const response = await send(posthog.toCall(events, config, false));
    return { status: response.status, results: posthog.readResponse(response, events) };
  };

  it('sends events, installs and opens as PostHog takes them', async () => {
    const open = {
      ...FULL_RECORD,
      kind: 'open' as const,
      name: 'open',
      id: '01985f2f-10d2-7b6a-a4c3-5e6f7a8b9c0e',
    };
    const { status, results } = await exchange(
      [FULL_RECORD, SPARSE_RECORD, open].map((record) => eventOf(record)),
    );
    assert.deepEqual([status, results], [200, null]);
    const stored = [...standIn.stored.values()];
    assert.deepEqual(
      stored.map(({ event }) => event),
      ['purchase', 'Install Attributed', 'Deep Link Opened'],
    );
    assert.deepEqual(
      stored.map(({ properties }) => '$set' in properties),
      [true, true, false],
    );
  });

  it('an event has its time, properties, revenue, device and what is known of the person', () => {
    const { event, distinct_id, uuid, timestamp, properties } = eventOf(FULL_RECORD);
    assert.deepEqual([event, uuid, timestamp], ['purchase', FULL_RECORD.id, FULL_RECORD.occurredAt]);
    assert.equal(distinct_id, FULL_RECORD.identifiers.posthogDistinctId);
    const expected = {
      ...FULL_RECORD.properties,
      ...{ revenue: 19.99, currency: 'EUR', $os: 'Android', $os_version: '16', $app_version: '3.2.1' },
      ...{ $device_model: 'Pixel 9', $app_namespace: 'app.paperboat.android', $geoip_country_code: 'AT' },
      ...{ $geoip_disable: true, $lib: 'throughline' },
    };
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(properties[name], value, name);
    const { attribution_method, utm_campaign, ad_network } = properties.$set as Record<string, string>;
    assert.deepEqual(
      [attribution_method, utm_campaign, ad_network],
      ['INSTALL_REFERRER', 'spring-sale', 'meta'],
    );
  });

  it('a person is whom PostHog’s SDK knows, else the user, else the install; a mapping comes first', () => {
    const told = { posthogDistinctId: 'ph-1' };
    assert.equal(eventOf({ ...SPARSE_RECORD, userId: 'u-1', identifiers: told }).distinct_id, 'ph-1');
    assert.equal(eventOf({ ...SPARSE_RECORD, userId: 'u-1' }).distinct_id, 'u-1');
    assert.equal(eventOf(SPARSE_RECORD).distinct_id, SPARSE_RECORD.installId);
    for (const userId of ['guest', 'NULL', '0', ' '])
      assert.equal(eventOf({ ...SPARSE_RECORD, userId }).distinct_id, SPARSE_RECORD.installId);
    const mapping = { fields: { distinct_id: 'properties.account' } };
    assert.equal(eventOf({ ...SPARSE_RECORD, properties: { account: 'a-1' } }, mapping).distinct_id, 'a-1');
  });

  it('an app’s properties cannot stand for PostHog’s own, or name another project', async () => {
    const properties = {
      token: 'push-token',
      distinct_id: 'other',
      $set: { admin: true },
      $ip: '8.8.8.8',
      kept: 1,
    };
    const event = eventOf({ ...SPARSE_RECORD, kind: 'event', name: 'e', properties });
    assert.deepEqual(await exchange([event]), { status: 200, results: null });
    assert.equal(standIn.stored.get(event.uuid)?.distinct_id, SPARSE_RECORD.installId);
    const { token, $ip, $set, kept } = event.properties;
    assert.deepEqual([token, $ip, $set, kept], [undefined, undefined, { attribution_method: 'ORGANIC' }, 1]);
  });

  it('half a surrogate pair in a property does not refuse the call', async () => {
    const properties = { text: 'a\ud83d', '\udc00': ['\\ud800', '\\\ud800'], whole: '😀' };
    const event = eventOf({ ...FULL_RECORD, name: 'e\ud83d', userId: '\ud800', identifiers: {}, properties });
    assert.equal((await exchange([event])).status, 200);
    const { text, '\ufffd': list, whole } = event.properties;
    assert.deepEqual([text, list, whole], ['a\ufffd', ['\\ud800', '\\\ufffd'], '😀']);
  });

  it('names that PostHog keeps for itself are not sent unless they are mapped', () => {
    const record = { ...FULL_RECORD, name: '$create_alias' };
    assert.match(JSON.stringify(posthog.toItem(record, { projectKey: 'a' }, {})), /keeps names such as/);
    assert.equal(eventOf(record, { events: { $create_alias: 'alias' } }).event, 'alias');
  });

  it('a wrong key, or an event that PostHog cannot read, is told by the status', async () => {
    const wrongKey = await exchange([eventOf(FULL_RECORD)], { projectKey: 'phx_personal' });
    assert.deepEqual(wrongKey, { status: 401, results: null });
    const nameless = { ...eventOf(FULL_RECORD), event: '' };
    assert.deepEqual(await exchange([eventOf(SPARSE_RECORD), nameless]), { status: 400, results: null });
  });

  it('refuses a personal key', () => {
    assert.ok(Check(posthog.config, { projectKey: 'phc_4Xh9sQpZ' }));
    for (const projectKey of ['phx_personal', '', 'a b']) assert.ok(!Check(posthog.config, { projectKey }));
  });

  it('a repeated record is stored once', async () => {
    for (let times = 0; times < 2; times++) await exchange([eventOf(FULL_RECORD)]);
    assert.equal(standIn.stored.size, 1);
  });

  it('is called in PostHog Cloud’s region, or on servers of one’s own', () => {
    const urls = [{}, { region: 'eu' as const }, { baseUrl: 'https://ph.example.com/' }].map(
      (fields) => posthog.toCall([], { projectKey: 'a', ...fields }, false).url,
    );
    assert.deepEqual(urls, [
      'https://us.i.posthog.com/batch/',
      'https://eu.i.posthog.com/batch/',
      'https://ph.example.com/batch/',
    ]);
  });
});

function eventOf(record: ForwardedRecord, mapping: Mapping = {}): PosthogEvent {
  const made = posthog.toItem(record, { projectKey: 'a' }, mapping);
  assert.ok('item' in made);
  return made.item as PosthogEvent;
}
