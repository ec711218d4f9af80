import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADATTRIBUTIONKIT_VECTOR, FORGED_ADATTRIBUTIONKIT } from '../../../test/fixtures/postbacks.ts';
import { LOCAL_KEYS, newJws, PRODUCTION_KID } from '../../../test/helpers/local-keys.ts';
import { type AppleKeys, publishedKeys, unpack, unsignedFieldsOf, verifyPostback } from './index.ts';

const published = publishedKeys();
const verify = (fields: Record<string, unknown>, keys: AppleKeys = published) =>
  verifyPostback(keys, 'adattributionkit', fields);
const verifyJws = (jws: string) => verify({ 'jws-string': jws }, LOCAL_KEYS);
const vector = JSON.parse(ADATTRIBUTIONKIT_VECTOR) as Record<string, unknown> & { 'jws-string': string };
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The JWS with one of its three parts replaced. */
function withPart(jws: string, index: number, part: string): string {
  return jws.split('.').with(index, part).join('.');
}

describe('AdAttributionKit', () => {
  it('verifies Apple’s example, as a test: a developer device signed it', async () => {
    const { verdict, reason, claims } = await verify(vector);
    assert.deepEqual([verdict, reason], ['verified', null]);
    assert.deepEqual(claims, {
      version: null,
      adNetworkId: 'development.adattributionkit',
      appStoreId: 10_738_027_756,
      transactionId: '85546EB7-FD39-44BC-8990-C98A4AC36A49',
      sequenceIndex: 0,
      sourceIdentifier: '1234',
      campaignId: null,
      didWin: true,
      conversionType: 're-engagement',
      isTest: true,
    });
  });

  it('refuses Apple’s earlier example, whose signature was illustrative', async () => {
    assert.equal((await verify(JSON.parse(FORGED_ADATTRIBUTIONKIT))).verdict, 'invalid');
  });

  it('refuses a change of any signed field', async () => {
    const payload = unpack('adattributionkit', vector) ?? {};
    assert.equal(Object.keys(payload).length, 10);
    for (const [name, value] of Object.entries(payload)) {
      const other = typeof value === 'boolean' ? !value : typeof value === 'number' ? value + 1 : `${value}0`;
      const jws = withPart(vector['jws-string'], 1, encode({ ...payload, [name]: other }));
      assert.equal((await verify({ ...vector, 'jws-string': jws })).verdict, 'invalid', name);
    }
  });

  it('accepts changes of fields beside the JWS, and lists them as unsigned', async () => {
    for (const unsigned of [
      { 'conversion-value': 1 },
      { 'coarse-conversion-value': 'high' },
      { 'ad-interaction-type': 'view' },
      { 'country-code': 'FR' },
      { 'did-win': false, more: [] },
    ])
      assert.equal((await verify({ ...vector, ...unsigned })).verdict, 'verified');
    const verified = { kind: 'adattributionkit', verdict: 'verified', version: null } as const;
    assert.deepEqual(unsignedFieldsOf(verified, vector), [
      'conversion-value',
      'ad-interaction-type',
      'country-code',
    ]);
  });

  it('marks a postback signed with the production key as not a test', async () => {
    const { verdict, claims } = await verifyJws(newJws());
    assert.deepEqual([verdict, claims.isTest], ['verified', false]);
    const development = newJws({}, { kid: 'apple-development-identifier/0', alg: 'ES256' });
    assert.equal((await verifyJws(development)).claims.isTest, true);
  });

  it('reports an unknown kid as unverifiable', async () => {
    for (const kid of ['apple-cas-identifier/1', 'constructor', '', 7, null, {}, undefined])
      assert.equal((await verifyJws(newJws({}, { kid, alg: 'ES256' }))).verdict, 'unverifiable', `${kid}`);
  });

  it('refuses the signature of another key or algorithm', async () => {
    assert.equal((await verify({ 'jws-string': newJws() })).verdict, 'invalid');
    const kid = PRODUCTION_KID;
    for (const header of [
      { kid, alg: 'none' },
      { kid, alg: 'HS256' },
      { kid },
      { kid, alg: 'ES256', crit: ['x'] },
    ])
      assert.equal((await verifyJws(newJws({}, header))).verdict, 'invalid', JSON.stringify(header));
    assert.equal((await verifyJws(withPart(newJws(), 2, ''))).verdict, 'invalid');
  });

  it('refuses a malformed JWS or payload without throwing', async () => {
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    for (const jws of [
      ...['', '.', '..', '...', 'a.b', 'a.b.c', 'a.b.c.d', '\u0000.\u0000.\u0000', '%%%.%%%.%%%'],
      ...[encode([]), encode(null), encode('text'), Buffer.from(deep).toString('base64url')].map((part) =>
        withPart(newJws(), 1, part),
      ),
      withPart(newJws(), 1, Buffer.from('{"__proto__":{}}').toString('base64url')),
      withPart(newJws(), 1, Buffer.from('{"a":"\\u0000"}').toString('base64url')),
      withPart(newJws(), 0, encode([])),
      withPart(newJws(), 0, '!'),
    ])
      assert.notEqual((await verifyJws(jws)).verdict, 'verified', jws);
    for (const value of [null, 7, {}, [], undefined])
      assert.equal((await verify({ 'jws-string': value })).verdict, 'invalid');
  });

  it('requires the fields needed to count, also of a genuine postback', async () => {
    for (const [name, value] of [
      ['postback-identifier', undefined],
      ['postback-identifier', 7],
      ['ad-network-identifier', ''],
      ['advertised-item-identifier', '525463029'],
      ['conversion-type', undefined],
      ['did-win', 'true'],
      ['postback-sequence-index', 0.5],
    ] as const) {
      const { verdict, reason } = await verifyJws(newJws({ [name]: value }));
      assert.equal(verdict, 'invalid');
      assert.match(reason ?? '', new RegExp(`^${name} `));
    }
  });
});
