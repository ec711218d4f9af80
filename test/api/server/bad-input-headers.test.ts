/** Malformed and hostile headers on the real process: every request is served, and no header value is echoed. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines, makePlace, type Place } from '../../helpers/engines.ts';
import { type RunningServer, startServer } from '../../helpers/process.ts';
import { rawRequest, sendRaw } from '../../helpers/raw-http.ts';
import { journalFiles, queryStored } from '../../helpers/stored.ts';

const KEY = 'svc_live_0123456789abcdef';
const LATIN_1 = Array.from({ length: 95 }, (_, index) => String.fromCharCode(161 + index)).join('');
const ADDRESSES = Array.from({ length: 1_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);

const HOSTILE: Record<string, readonly string[]> = {
  'user-agent': [
    '',
    '\t',
    'x'.repeat(10_000),
    LATIN_1,
    '<script>',
    '"; drop table clicks; --',
    '{"a":1}',
    '\\u0000',
    '\\',
  ],
  'accept-language': ['', '*', ';;;', 'x'.repeat(10_000), LATIN_1, 'en'.repeat(300), ',,,', 'q=0'],
  accept: ['', 'text/html', LATIN_1, 'x'.repeat(10_000)],
  host: [
    'evil.example',
    'x:99999',
    'x'.repeat(5_000),
    '[::1',
    LATIN_1,
    'a b',
    '"',
    '..',
    'user:password@evil.example',
  ],
  'x-forwarded-for': [
    ...[
      '',
      'unknown',
      ',,,',
      '1.2.3.4,',
      'for=1.2.3.4',
      '"1.2.3.4"',
      '256.1.1.1',
      '1.2.3',
      '0x7f.1',
      '_hidden',
      LATIN_1,
    ],
    ...[
      'fe80::1%eth0',
      'fe80::1%',
      '%',
      '[2001:db8::1]:443',
      '1.2.3.4:99999',
      '::',
      '::ffff:1.2.3.4',
      ADDRESSES.join(', '),
    ],
    ...[
      '1'.repeat(5_000),
      `${'1.2.3.4,'.repeat(1_500)}x`,
      '127.0.0.1, unknown',
      'unknown, 127.0.0.1',
      '127.0.0.1, ::1, fe80::1%',
    ],
  ],
  'x-request-id': [
    '',
    ' ',
    'a b',
    LATIN_1,
    'x'.repeat(65),
    'x'.repeat(5_000),
    'a%0d%0ab',
    '<script>',
    '../../x',
  ],
  'idempotency-key': ['', LATIN_1, 'x'.repeat(5_000)],
  'sec-purpose': [LATIN_1, 'x'.repeat(5_000)],
  'sec-ch-ua': ['', LATIN_1, 'x'.repeat(5_000)],
  'sec-ch-ua-model': ['', '"', '""', '?1', LATIN_1, `"${'x'.repeat(5_000)}"`, '"\\""', '{"a":1}', '\\u0000'],
  'sec-ch-ua-platform-version': ['', '"', LATIN_1, `"${'1.'.repeat(2_500)}"`, '14', '"}'],
  'x-api-key': [LATIN_1, 'x'.repeat(5_000)],
  cookie: [LATIN_1],
  upgrade: ['websocket', 'h2c'],
  'content-type': ['application/json', LATIN_1],
};
/** Query strings as ad networks and mail programs append them. */
const QUERIES = [
  ...['', '%zz', '%', '&&&', '=', 'a[]=1&a[]=2', '__proto__=1', '%00', 'a=%ED%A0%80', '?', '/../', 'a=b#c'],
  ...[`gclid=${'x'.repeat(3_000)}`, `a=${'%20'.repeat(3_000)}`, 'a=1&'.repeat(2_000)],
];
/** One address in the notations that proxies use. */
const NOTATIONS = [
  ...['203.0.113.9', '203.0.113.9:4711', '::ffff:203.0.113.9', '198.51.100.1, 203.0.113.9', ' 203.0.113.9 '],
  ...['unknown, 203.0.113.9', '198.51.100.1,203.0.113.9:80', '[::ffff:203.0.113.9]:443', '::ffff:cb00:7109'],
];

// Each form of TRUST_PROXY runs on one engine only, since it does not affect storage.
for (const [index, trustProxy] of ['1', '127.0.0.0/8,::1'].entries())
  for (const engine of engines.slice(index % engines.length, (index % engines.length) + 1))
    describe(`headers on ${engine}, behind a proxy trusted as ${trustProxy}`, () => {
      let place: Place;
      let server: RunningServer;
      let shortCode: string;
      let taps = 0;
      before(async () => {
        place = await makePlace(engine);
        server = await startServer(place, { BOOTSTRAP_LIVE_KEY: KEY, TRUST_PROXY: trustProxy });
        const answer = await fetch(`${server.url}/v1/links`, {
          method: 'POST',
          headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
          body: '{"deepLinkPath":"/","fallbackUrl":"https://example.com/there"}',
        });
        shortCode = ((await answer.json()) as { shortCode: string }).shortCode;
      });
      after(async () => {
        await server?.end('SIGKILL');
        await place?.remove();
      });
      async function tap(headers: Record<string, string>, query = '') {
        const answer = await sendRaw(server.url, rawRequest('GET', `/l/${shortCode}${query}`, headers));
        assert.equal(answer?.status, 302, `${query.slice(0, 100)} ${JSON.stringify(headers).slice(0, 200)}`);
        assert.equal(answer?.headers.location, 'https://example.com/there');
        taps += 1;
        return answer;
      }

      it('a tap with any headers is redirected and recorded as a click', async () => {
        // Unknown programs that accept HTML would get the card.
        for (const [name, values] of Object.entries(HOSTILE))
          for (const value of values)
            await tap({ ...(name === 'user-agent' && { accept: 'image/png' }), [name]: value });
        await tap(
          Object.fromEntries(
            Object.entries(HOSTILE).map(([name, values]) => [name, values[1]?.slice(0, 800) ?? '']),
          ),
        );
      });

      it('a tap with any query is redirected and recorded as a click', async () => {
        for (const query of QUERIES) await tap({}, `?${query}`);
      });

      it('only an X-Request-Id of safe characters is echoed', async () => {
        assert.equal(
          (await tap({ 'x-request-id': 'a.plain-One:1' }))?.headers['x-request-id'],
          'a.plain-One:1',
        );
        for (const given of HOSTILE['x-request-id'] ?? []) {
          const returned = (await tap({ 'x-request-id': given }))?.headers['x-request-id'] ?? '';
          assert.match(returned, /^[\w.:-]{1,64}$/);
          assert.notEqual(returned, given);
        }
        const smuggled = await tap({ 'x-request-id': 'a\r\nset-cookie: a=b' });
        assert.equal(smuggled?.headers['set-cookie'], undefined);
      });

      it('an SDK call with any headers gets the same response as one without them', async () => {
        const body = '{"fingerprint":{"platform":"ANDROID"}}';
        for (const [name, values] of Object.entries(HOSTILE))
          for (const value of values) {
            if (['content-type', 'x-api-key'].includes(name)) continue;
            const headers = { 'x-api-key': KEY, 'content-type': 'application/json', [name]: value };
            const answer = await sendRaw(server.url, rawRequest('POST', '/v1/sdk/install', headers, body));
            assert.equal(answer?.status, 200, `${name}: ${value.slice(0, 100)} → ${answer?.body}`);
          }
      });

      it('one address counts as one visitor in every notation', async () => {
        const earlier = taps;
        for (const notation of NOTATIONS) await tap({ 'x-forwarded-for': notation });
        assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
        const clicks = await queryStored(
          place,
          'select ip_hash, user_agent, accept_language, device_model, fingerprint from clicks order by id',
        );
        assert.equal(clicks.length, taps);
        assert.deepEqual(journalFiles(place), []);
        assert.equal(new Set(clicks.slice(earlier).map((click) => click.ip_hash)).size, 1);
        assert.ok(clicks[earlier]?.ip_hash);
        assert.ok(clicks.some((click) => click.user_agent === LATIN_1));
        for (const { user_agent: agent, accept_language: languages, ...hints } of clicks) {
          assert.ok(String(agent ?? '').length <= 1_024);
          assert.ok(String(languages ?? '').length <= 255);
          assert.ok(String(hints.device_model ?? '').length <= 64);
          assert.ok(JSON.stringify(hints.fingerprint).length <= 128);
        }
      });
    });
