/** What follows from what was read: of names, certificates, files, Apple's and Google's answers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../lib/clock.ts';
import type { State } from '../host.ts';
import { judgeAppleCopy } from './apple-copy.ts';
import { judgeServedFiles, type Served } from './association.ts';
import { judgeCertificate } from './certificate.ts';
import { judgeGoogleVerdict } from './google-verdict.ts';
import { judgeReach, type Reach } from './reach.ts';

const NOW = Date.UTC(2026, 10, 26);

describe('what follows of a certificate', () => {
  const certificate = (days: number, lifetime = 90, fields = {}) => ({
    ...{ validFromMs: NOW + (days - lifetime) * DAY_MS, validToMs: NOW + days * DAY_MS },
    ...{ isForHost: true, fault: null, issuer: 'Let’s Encrypt', ...fields },
  });
  const CASES: readonly [string, ReturnType<typeof certificate>, State, RegExp][] = [
    ['60 days are left', certificate(60), 'ok', /by Let’s Encrypt ends in 60 days/],
    ['13 of 90 days are left', certificate(13), 'problem', /ends in 13 days/],
    ['5 of 6 days are left', certificate(5, 6), 'ok', /ends in 5 days/],
    ['1 of 6 days is left', certificate(1, 6), 'problem', /ends in 1 day\./],
    ['half a day is left', certificate(0.5), 'problem', /ends within a day\./],
    ['it ended', certificate(-1), 'problem', /has expired/],
    ['it begins tomorrow', certificate(91), 'problem', /not valid yet/],
    ['it names another host', certificate(60, 90, { isForHost: false }), 'problem', /another name/],
    [
      'it is self-signed',
      certificate(60, 90, { fault: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
      'problem',
      /self-signed/,
    ],
    [
      'the chain is incomplete',
      certificate(60, 90, { fault: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }),
      'problem',
      /intermediate/,
    ],
    ['of an unknown fault', certificate(60, 90, { fault: 'CERT_REVOKED' }), 'problem', /CERT_REVOKED/],
  ];
  for (const [title, given, state, message] of CASES)
    it(title, () => {
      const outcome = judgeCertificate(given, NOW);
      assert.equal(outcome.state, state);
      assert.match(outcome.message, message);
      assert.equal(outcome.mend === null, state === 'ok');
    });
});

describe('what follows of a request to the host', () => {
  const failed = (reason: 'timeout' | 'connection' | 'dns' | 'refused_target' | 'tls', message = '') =>
    ({ kind: 'failed', reason, message }) as const;
  const REFUSED = failed('connection', 'The connection was refused.');
  const CASES: readonly [string, Reach, isOnline: boolean, wasHere: boolean, State][] = [
    ['it arrived here', { kind: 'here' }, false, false, 'ok'],
    [
      'another server answered',
      { kind: 'elsewhere', status: 200, location: undefined },
      true,
      false,
      'problem',
    ],
    ['DNS has no such name', { kind: 'no_such_name' }, true, false, 'problem'],
    ['DNS has no such name, and nobody else answers', { kind: 'no_such_name' }, false, true, 'unknown'],
    ['the name servers are silent', failed('dns'), true, true, 'unknown'],
    ['the name has a private address', failed('refused_target'), true, true, 'unknown'],
    ['it is refused', REFUSED, true, false, 'problem'],
    ['it is refused, and nobody else answers', REFUSED, false, true, 'unknown'],
    ['silence of a host that was never reached from here', failed('timeout'), true, false, 'unknown'],
    ['silence of a host that was reached before', failed('timeout'), true, true, 'problem'],
    ['no TLS', failed('tls'), true, false, 'problem'],
  ];
  for (const [title, reached, isOnline, wasHere, state] of CASES)
    it(`${title}: ${state}`, () =>
      assert.equal(judgeReach(reached, { host: 'go.example.com', isOnline, wasHere }).state, state));
});

describe('what follows of the association files as served', () => {
  const expected = { apple: Buffer.from('{"applinks":{"details":[]}}'), android: Buffer.from('[]') };
  const file = (body: string, status = 200, type = 'application/json'): Served => ({ body, status, type });
  const apple = file('{ "applinks": { "details": [] } }');
  const android = file('[]');
  const CASES: readonly [string, Served | null, Served | null, State, RegExp][] = [
    ['equal, with other spaces', apple, android, 'ok', /./],
    ['a redirect', file('', 301), android, 'problem', /redirects/],
    ['404', apple, file('', 404), 'problem', /assetlinks.json has status 404/],
    ['a page', file('<html>'), android, 'problem', /no JSON/],
    ['an old copy', file('{}'), android, 'problem', /differs/],
    ['as text', file(apple.body, 200, 'text/plain'), android, 'problem', /application\/json/],
    ['above Apple’s limit', file(`${apple.body}${' '.repeat(131_072)}`), android, 'problem', /128 KiB/],
    ['no answer', null, android, 'unknown', /no complete answer/],
  ];
  for (const [title, one, other, state, message] of CASES)
    it(`${title}: ${state}`, () => {
      const outcome = judgeServedFiles({ apple: one, android: other }, expected);
      assert.equal(outcome.state, state);
      assert.match(outcome.message, message);
    });
});

describe('what follows of Apple’s and Google’s answers', () => {
  const file = Buffer.from('{"applinks":{"details":[1]}}');
  it('Apple’s copy may have other spaces, and a missing or old one has to last before it is a problem', () => {
    const of = (status: number, body = '', reason = '') => judgeAppleCopy({ status, body, reason }, file);
    assert.equal(of(200, '{ "applinks": {"details": [1]} }').state, 'ok');
    const missing = of(404, 'Not Found', 'SWCERR00301 Timeout');
    assert.deepEqual([missing.state, missing.patienceMs], ['problem', 2 * DAY_MS]);
    assert.match(missing.message, /SWCERR00301 Timeout/);
    assert.equal(of(200, '{}').patienceMs, 2 * DAY_MS);
    assert.deepEqual([of(503).state, judgeAppleCopy(null, file).state], ['unknown', 'unknown']);
  });

  it('Google has to name each certificate of the app', () => {
    const app = { name: 'com.example.shop', fingerprints: ['AA:01', 'BB:02'] };
    const statement = (packageName: string, sha256Fingerprint: string) => ({
      target: { androidApp: { packageName, certificate: { sha256Fingerprint } } },
    });
    const of = (...statements: unknown[]) =>
      judgeGoogleVerdict({ status: 200, body: JSON.stringify({ statements }) }, app);
    const both = [statement(app.name, 'aa:01'), statement(app.name, 'BB:02'), null];
    assert.equal(of(...both).state, 'ok');
    assert.match(of(statement(app.name, 'AA:01')).message, /1 of 2 certificates/);
    assert.equal(of(statement('com.example.other', 'AA:01')).state, 'problem');
    assert.equal(of().patienceMs, DAY_MS);
    const unread = [null, { status: 429, body: '{}' }, { status: 200, body: '<html>' }];
    for (const answer of unread) assert.equal(judgeGoogleVerdict(answer, app).state, 'unknown');
  });
});
