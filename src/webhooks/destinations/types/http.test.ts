import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { FULL_RECORD, SPARSE_RECORD } from '../../../../test/fixtures/forwarded-records.ts';
import { HOSTILE_TEXTS } from '../../../../test/fixtures/messages/notices.ts';
import type { ForwardedRecord, OutgoingCall } from '../destination-type.ts';
import { http } from './http.ts';

const URL_OF_RECEIVER = 'https://example.com/users/{{userId}}/events?plan={{properties.plan}}&name={{name}}';
type Config = Parameters<typeof http.toItem>[1];

describe('destination http', () => {
  it('sends the body of one’s own, with headers of one’s own', () => {
    const config: Config = {
      url: URL_OF_RECEIVER,
      headers: { Authorization: 'Bearer abc' },
      body: { what: '{{name}}', price: '{{revenue.amountAsNumber}}', note: 'by {{attribution.utm.source}}' },
    };
    assert.equal(http.checkConfig?.(config), null);
    assert.deepEqual(callOf(config, FULL_RECORD), {
      url: 'https://example.com/users/user-1001/events?plan=yearly&name=purchase',
      headers: { 'content-type': 'application/json', authorization: 'Bearer abc' },
      body: '{"what":"purchase","price":19.99,"note":"by newsletter"}',
    });
  });

  it('takes the body as JSON or as its text, and a placeholder alone as the value', () => {
    const bodies = ['{"a": ["{{id}}"]}', { a: ['{{id}}'] }];
    for (const body of bodies)
      assert.equal(callOf(configWith({ body }), FULL_RECORD).body, `{"a":["${FULL_RECORD.id}"]}`);
    const { body } = callOf(configWith({ body: ' {{record}} ' }), FULL_RECORD);
    assert.deepEqual(JSON.parse(body), FULL_RECORD);
  });

  it('marks a test by a header', () => {
    const { item } = itemOf(configWith({}), FULL_RECORD);
    assert.equal(http.toCall([item], configWith({}), true).headers['x-service-test'], 'true');
  });

  it('a value stays in its place of the address', () => {
    const values = [
      ...HOSTILE_TEXTS,
      'a/../b',
      '?x=1',
      '#',
      '&name=b',
      '%2e%2e',
      '\\',
      '@evil.example',
      '\ud800',
      'é ',
    ];
    for (const value of values.filter((text) => text !== '' && text !== '.' && text !== '..')) {
      const record = { ...FULL_RECORD, userId: value, properties: { plan: value } };
      const url = new URL(callOf(configWith({ url: URL_OF_RECEIVER }), record).url);
      assert.equal(url.origin, 'https://example.com');
      const [, users, userId = '', events, ...more] = url.pathname.split('/');
      assert.deepEqual(
        [users, decodeURIComponent(userId), events, more],
        ['users', value.toWellFormed(), 'events', []],
      );
      assert.deepEqual(
        [...url.searchParams],
        [
          ['plan', value.toWellFormed()],
          ['name', 'purchase'],
        ],
      );
    }
  });

  it('a value that would change or leave out a part of the path is not sent', () => {
    for (const userId of ['.', '..'])
      assert.match(unsendable({ url: URL_OF_RECEIVER }, { ...FULL_RECORD, userId }), /must not stand alone/);
    assert.match(
      unsendable({ url: URL_OF_RECEIVER }, SPARSE_RECORD),
      /no userId, which the path of url needs/,
    );
    const missing = http.toItem(
      SPARSE_RECORD,
      configWith({ url: 'https://a.example/{{identifiers.vendorId}}' }),
      {},
    );
    assert.equal('missingIdentifier' in missing && missing.missingIdentifier, 'vendorId');
    assert.match(
      unsendable({ url: URL_OF_RECEIVER }, { ...FULL_RECORD, userId: 'é'.repeat(2_000) }),
      /8192 characters/,
    );
  });

  for (const [field, value, problem] of [
    ['url', 'ftp://example.com/', /http or https/],
    ['url', '/relative', /http or https/],
    ['url', 'https://{{userId}}.example.com/', /after the host only/],
    ['url', 'https://example.com{{userId}}/', /after the host only/],
    ['url', '{{userId}}', /after the host only/],
    ['url', 'https://user@example.com/', /without a user name/],
    ['url', 'https://example.com/a#b', /#/],
    ['url', 'https://example.com\\@evil.example/', /backslashes/],
    ['url', 'https://example.com/a/../b', /“\.\.”/],
    ['url', 'https://example.com/%2E./b', /“\.\.”/],
    ['url', 'https://example.com/{{email}}', /placeholder \{\{email\}\}, which is not one of/],
    ['headers', { Host: 'a' }, /must not have host/],
    ['headers', { 'content-Length': '3' }, /must not have content-length/],
    ['headers', { 'Transfer-Encoding': 'chunked' }, /must not have transfer-encoding/],
    ['headers', { 'a b': '' }, /no name of a header/],
    ['headers', { 'x-a\r\nx-b': '' }, /no name of a header/],
    ['headers', { 'x-a': '1\r\nx-b: 2' }, /printable ASCII/],
    ['headers', { 'x-a': 'ü' }, /printable ASCII/],
    ['headers', { 'x-a': '{{id}}' }, /sent as they are/],
    ['headers', { 'x-a': '1', 'X-A': '2' }, /twice/],
    ['headers', { 'content-type': 'text/plain' }, /Content-Type must be of JSON/],
    ['body', '{"a": {{userId}}}', /not JSON/],
    ['body', '', /not JSON/],
    ['body', { a: '{{user}}' }, /body has the placeholder \{\{user\}\}, which is not one of/],
    ['body', 'x'.repeat(17_000), /at most 16 KiB/],
    ['body', { a: 'x'.repeat(17_000) }, /at most 16 KiB/],
  ] as const)
    it(`refuses ${field} ${JSON.stringify(value).slice(0, 60)}`, () =>
      assert.match(http.checkConfig?.(configWith({ [field]: value })) ?? '', problem));

  it('takes other types of JSON', () => {
    const headers = { 'Content-Type': 'application/vnd.api+json; charset=utf-8' };
    assert.equal(http.checkConfig?.(configWith({ headers })), null);
    assert.equal(
      callOf(configWith({ headers }), FULL_RECORD).headers['content-type'],
      headers['Content-Type'],
    );
  });

  it('refuses fields that it does not know, and too many headers', () => {
    const headers = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, nth) => [`x-${nth}`, '']));
    assert.ok(Check(http.config, configWith({ headers: headers(20) })));
    for (const config of [
      configWith({ headers: headers(21) }),
      { ...configWith({}), header: {} },
      { url: 'https://a.example' },
    ])
      assert.ok(!Check(http.config, config));
  });
});

function configWith(fields: object): Config {
  return { url: 'https://example.com/in', body: '{{record}}', ...fields };
}

function itemOf(config: Config, record: ForwardedRecord) {
  const made = http.toItem(record, config, {});
  assert.ok('item' in made, JSON.stringify(made));
  return made;
}

function callOf(config: Config, record: ForwardedRecord): OutgoingCall {
  return http.toCall([itemOf(config, record).item], config, false);
}

function unsendable(fields: object, record: ForwardedRecord): string {
  const made = http.toItem(record, configWith(fields), {});
  return 'unsendable' in made ? made.unsendable : '';
}
