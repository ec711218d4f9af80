import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { FULL_RECORD, SPARSE_RECORD } from '../../../../test/fixtures/forwarded-records.ts';
import { undeclaredFields } from '../../../../test/helpers/declared-fields.ts';
import { send } from '../../../../test/helpers/stand-in.ts';
import { type SegmentMessage, StandInSegment } from '../../../../test/helpers/stand-in-segment.ts';
import type { ForwardedRecord, Mapping } from '../destination-type.ts';
import { segment } from './segment.ts';

describe('destination segment', () => {
  let standIn: StandInSegment;
  before(async () => {
    standIn = await new StandInSegment().open();
  });
  after(() => standIn.close());
  beforeEach(() => standIn.stored.clear());

  const config = () => ({ writeKey: standIn.writeKey, baseUrl: standIn.baseUrl });

  it('sends events, installs and opens as Segment takes them', async () => {
    const open = {
      ...FULL_RECORD,
      kind: 'open' as const,
      name: 'open',
      id: '01985f2f-10d2-7b6a-a4c3-5e6f7a8b9c0e',
    };
    const call = segment.toCall(
      [FULL_RECORD, SPARSE_RECORD, open].map((record) => messageOf(record)),
      config(),
      false,
    );
    assert.deepEqual(await send(call), { status: 200, body: '{"success":true}' });
    assert.deepEqual(standIn.dropped, []);
    const names = [...standIn.stored.values()].map(({ event }) => event);
    assert.deepEqual(names, ['purchase', 'Install Attributed', 'Deep Link Opened']);
    assert.deepEqual(undeclaredFields(segment, call), []);
  });

  it('an event has its properties, its revenue as a number, and who, where and how', () => {
    const { event, messageId, timestamp, userId, anonymousId, properties, context } = messageOf(FULL_RECORD);
    assert.deepEqual([event, messageId, timestamp], ['purchase', FULL_RECORD.id, FULL_RECORD.occurredAt]);
    assert.deepEqual([userId, anonymousId], ['user-1001', '507f191e810c19729de860ea']);
    assert.deepEqual(properties, {
      ...{ ...FULL_RECORD.properties, order_id: 'order-1001' },
      ...{ revenue: 19.99, currency: 'EUR' },
    });
    const { app, campaign, os, traits } = context as Record<string, Record<string, string>>;
    assert.deepEqual(app, { name: 'Paperboat', version: '3.2.1', namespace: 'app.paperboat.android' });
    assert.deepEqual(campaign, { source: 'newsletter', medium: 'email', name: 'spring-sale' });
    assert.deepEqual(os, { name: 'Android', version: '16' });
    assert.equal(traits?.ad_network, 'meta');
  });

  it('an install is Install Attributed of the mobile specification', () => {
    const { properties } = messageOf({ ...FULL_RECORD, kind: 'install', name: 'install', properties: {} });
    const { provider, campaign, attribution_method } = properties ?? {};
    assert.deepEqual([provider, attribution_method], ['Throughline', 'INSTALL_REFERRER']);
    assert.deepEqual(campaign, {
      ...{ source: 'meta', name: 'Spring', medium: 'email' },
      ...{ ad_group: 'Readers', ad_creative: 'Boat' },
    });
  });

  it('what the service does not know is left out, and the install stands for an unknown person', () => {
    const message = messageOf(SPARSE_RECORD);
    assert.equal(message.anonymousId, SPARSE_RECORD.installId);
    assert.ok(!JSON.stringify(message).includes('null'));
    assert.ok(!('userId' in message));
    const { app } = message.context as Record<string, unknown>;
    assert.deepEqual(app, { name: 'Paperboat' });
  });

  it('an open’s own attribution does not replace the user’s', () => {
    const { context } = messageOf({ ...FULL_RECORD, kind: 'open', name: 'open' });
    assert.ok(!('traits' in (context as object)));
  });

  it('names of events and identifiers come from the mapping first', () => {
    const mapping = {
      events: { install: 'App Installed', purchase: 'Order Completed' },
      fields: { anonymousId: 'identifiers.vendorId', userId: 'properties.items' },
    };
    const { event, anonymousId, userId } = messageOf(FULL_RECORD, mapping);
    assert.deepEqual(
      [event, anonymousId, userId],
      ['Order Completed', FULL_RECORD.identifiers.vendorId, '2'],
    );
    assert.equal(messageOf(SPARSE_RECORD, mapping).event, 'App Installed');
    assert.equal(messageOf({ ...FULL_RECORD, name: 'constructor' }, mapping).event, 'constructor');
  });

  it('a repeated record is stored once', async () => {
    for (let times = 0; times < 2; times++)
      await send(segment.toCall([messageOf(FULL_RECORD)], config(), false));
    assert.equal(standIn.stored.size, 1);
  });

  it('a call of the greatest size that is declared is accepted', async () => {
    const { maxItems, maxBytes } = segment.limits;
    const message = messageOf({ ...FULL_RECORD, properties: { text: 'x'.repeat(28_000) } });
    const size = Buffer.byteLength(JSON.stringify(message)) + 1;
    const messages = Array.from({ length: Math.floor(maxBytes / size) }, () => message);
    assert.ok(messages.length > 10 && messages.length < maxItems);
    assert.equal((await send(segment.toCall(messages, config(), false))).status, 200);
  });

  it('any answer is read by its status alone', () => {
    for (const status of [200, 400, 401, 413, 429, 500])
      assert.equal(segment.readResponse({ status, body: '' }, [{}]), null);
  });

  it('is called in the region of the workspace, with the key as Segment’s page shows it', () => {
    const { url, headers } = segment.toCall([], { writeKey: 'abc123' }, false);
    assert.equal(url, 'https://api.segment.io/v1/batch');
    assert.equal(headers.authorization, 'Basic YWJjMTIzOg==');
    const inEurope = segment.toCall([], { writeKey: 'abc123', region: 'eu' }, false);
    assert.equal(inEurope.url, 'https://events.eu1.segmentapis.com/v1/batch');
    const own = segment.toCall([], { writeKey: 'abc123', baseUrl: 'https://data.example.com/plane/' }, false);
    assert.equal(own.url, 'https://data.example.com/plane/v1/batch');
  });

  it('refuses other fields, regions, keys and addresses', () => {
    assert.ok(Check(segment.config, { writeKey: 'abc123', region: 'eu', baseUrl: 'http://10.0.0.1:8080/a' }));
    for (const fields of [
      ...[
        { writekey: 'a' },
        { region: 'ap' },
        { writeKey: 'a:b' },
        { writeKey: '' },
        { writeKey: undefined },
      ],
      ...[
        { baseUrl: 'ftp://a' },
        { baseUrl: 'https://a?b' },
        { baseUrl: 'https://a@b/' },
        { baseUrl: 'https://a/#b' },
      ],
    ])
      assert.ok(!Check(segment.config, { writeKey: 'abc123', ...fields }), JSON.stringify(fields));
  });
});

function messageOf(record: ForwardedRecord, mapping: Mapping = {}): SegmentMessage {
  const made = segment.toItem(record, { writeKey: 'abc123' }, mapping);
  assert.ok('item' in made);
  return made.item as SegmentMessage;
}
