import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  FORGED_SKADNETWORK,
  SIGNED_TEXT_SHA256,
  SKADNETWORK_VECTORS,
} from '../../../test/fixtures/postbacks.ts';
import { LOCAL_KEYS, newPostback, OLD_PRIVATE_KEY, signValues } from '../../../test/helpers/local-keys.ts';
import { type AppleKeys, publishedKeys, type Verification } from './index.ts';
import { signedFieldsOf, verifySkadnetwork } from './skadnetwork.ts';

type Postback = Record<string, unknown>;

const keys = publishedKeys();
const verify = (postback: Postback, withKeys: AppleKeys = keys): Verification =>
  verifySkadnetwork(withKeys, postback);
const parse = (text = ''): Postback => JSON.parse(text) as Postback;

/** Another value of the same type. */
function changed(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  return typeof value === 'number' ? value + 1 : `${String(value)}0`;
}

describe('SKAdNetwork, Apple’s own signatures', () => {
  for (const [name, text] of Object.entries(SKADNETWORK_VECTORS)) {
    const postback = parse(text);
    const { version } = postback;
    const signed = signedFieldsOf(String(version)).filter((field) => postback[field] !== undefined);

    it(`${name}: is verified`, () => {
      const { verdict, reason, claims } = verify(postback);
      assert.deepEqual([verdict, reason], ['verified', null]);
      assert.equal(claims.version, version);
      assert.equal(claims.appStoreId, postback['app-id']);
      assert.equal(claims.transactionId, postback['transaction-id']);
      assert.equal(claims.sequenceIndex, postback['postback-sequence-index'] ?? 0);
      assert.equal(claims.didWin, postback['did-win'] ?? null);
    });

    it(`${name}: joins the signed fields in Apple’s order`, () => {
      const joined = signed.map((field) => String(postback[field])).join('\u2063');
      assert.equal(hash('sha256', joined), SIGNED_TEXT_SHA256[name]);
    });

    it(`${name}: is invalid if a signed field is changed, missing or of another type`, () => {
      for (const field of signed) {
        const { [field]: value, ...without } = postback;
        const others = [changed(value), typeof value === 'number' ? String(value) : 1, null, [value], {}];
        for (const other of others) {
          const { verdict, reason } = verify({ ...postback, [field]: other });
          // The changed version is unknown.
          const expected = field === 'version' && other === changed(value) ? 'unverifiable' : 'invalid';
          assert.equal(verdict, expected, `${field}: ${JSON.stringify(other)}`);
          assert.match(reason ?? '', /^\S.+\.$/);
        }
        assert.equal(verify(without).verdict, 'invalid', `without ${field}`);
      }
    });

    it(`${name}: is verified with any unsigned fields`, () => {
      const { 'conversion-value': _value, 'coarse-conversion-value': _coarse, ...without } = postback;
      for (const unsigned of [
        { 'conversion-value': 63 },
        { 'coarse-conversion-value': 'low' },
        { 'conversion-value': null },
        { 'country-code': 'FR' },
        { timestamp: 1, nested: { 'did-win': 1 } },
      ])
        assert.equal(verify({ ...without, ...unsigned }).verdict, 'verified', JSON.stringify(unsigned));
    });

    it(`${name}: reads no claims from unsigned fields`, () => {
      const added: Postback = {
        'did-win': false,
        'postback-sequence-index': 2,
        'source-identifier': '1',
        'campaign-id': 7,
      };
      for (const field of Object.keys(added)) if (signed.includes(field)) delete added[field];
      const { verdict, claims } = verify({ ...added, ...postback });
      assert.equal(verdict, 'verified');
      assert.deepEqual(claims, verify(postback).claims);
    });

    it(`${name}: is invalid with a malformed signature, without throwing`, () => {
      for (const signature of [undefined, null, 7, {}, '', '====', 'MEUC', 'é'.repeat(40), 'x'.repeat(5_000)])
        assert.equal(verify({ ...postback, 'attribution-signature': signature }).verdict, 'invalid');
      const genuine = String(postback['attribution-signature']);
      assert.equal(
        verify({ ...postback, 'attribution-signature': `${genuine.slice(0, -8)}AAAAAAA=` }).verdict,
        'invalid',
      );
      assert.equal(verify({ ...postback, 'attribution-signature': ` ${genuine}` }).verdict, 'invalid');
    });
  }

  it('a postback without version is 1.0', () => {
    const { version: _version, ...postback } = parse(SKADNETWORK_VECTORS['1.0']);
    assert.equal(verify(postback).verdict, 'verified');
  });

  it('the example in the guides of ad networks is invalid', () => {
    assert.equal(verify(parse(FORGED_SKADNETWORK)).verdict, 'invalid');
  });

  it('an unknown version is unverifiable, but its claims are read', () => {
    const { verdict, reason, claims } = verify({
      ...parse(SKADNETWORK_VECTORS['4.0, fine value']),
      version: '5.0',
    });
    assert.equal(verdict, 'unverifiable');
    assert.match(reason ?? '', /Unknown SKAdNetwork version 5\.0/);
    assert.equal(claims.appStoreId, 525463029);
  });

  it('without the curve P-192 only the versions that use it are unverifiable', () => {
    const without: AppleKeys = { ...keys, p192: () => null };
    for (const [name, text] of Object.entries(SKADNETWORK_VECTORS)) {
      const { verdict, reason } = verify(parse(text), without);
      const expected = /^(1|2\.0)/.test(name) ? 'unverifiable' : 'verified';
      assert.equal(verdict, expected, name);
      if (verdict === 'unverifiable') assert.match(reason ?? '', /P-192/);
    }
  });

  it('a 2.0 postback cannot be replayed as 1.0, whose key and order it shares', () => {
    const postback = parse(SKADNETWORK_VECTORS['2.0']);
    const joined = (...names: string[]) => names.map((name) => String(postback[name])).join('\u2063');
    const disguised = {
      version: '1.0',
      'ad-network-id': joined('version', 'ad-network-id'),
      'campaign-id': postback['campaign-id'],
      'app-id': postback['app-id'],
      'transaction-id': joined('transaction-id', 'redownload', 'source-app-id'),
      'attribution-signature': postback['attribution-signature'],
    };
    assert.equal(verify(disguised).verdict, 'invalid');
  });
});

describe('SKAdNetwork, local keys', () => {
  it('4.0 with a source-app-id of 0 is a test', () => {
    for (const sourceAppId of [1234567891, 0]) {
      const postback = newPostback({ 'source-app-id': sourceAppId });
      const { verdict, claims } = verify(postback, LOCAL_KEYS);
      assert.equal(verdict, 'verified');
      assert.equal(claims.isTest, sourceAppId === 0);
      assert.equal(verify({ ...postback, 'source-app-id': 1 }, LOCAL_KEYS).verdict, 'invalid');
      const { 'source-app-id': _gone, ...without } = postback;
      assert.equal(verify(without, LOCAL_KEYS).verdict, 'invalid');
    }
  });

  it('a source-app-id is invalid as source-domain, and beside one', () => {
    const postback = newPostback();
    const { 'source-app-id': sourceAppId, ...without } = postback;
    assert.equal(verify({ ...without, 'source-domain': String(sourceAppId) }, LOCAL_KEYS).verdict, 'invalid');
    assert.equal(verify({ ...postback, 'source-domain': 'example.com' }, LOCAL_KEYS).verdict, 'invalid');
  });

  it('the P-192 key is not accepted for 2.1', () => {
    const values = ['2.1', 'com.example', 42, 525463029, 'a', true] as const;
    const [version, network, campaign, app, transaction, redownload] = values;
    const postback = {
      ...{ version, 'ad-network-id': network, 'campaign-id': campaign, 'app-id': app },
      ...{ 'transaction-id': transaction, redownload },
    };
    assert.equal(verify({ ...postback, ...signValues(values) }, LOCAL_KEYS).verdict, 'verified');
    assert.equal(
      verify({ ...postback, ...signValues(values, OLD_PRIVATE_KEY) }, LOCAL_KEYS).verdict,
      'invalid',
    );
  });
});
