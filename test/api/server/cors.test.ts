/** CORS: pages of any origin call the SDK endpoints, and nothing else. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../src/errors.ts';
import { ENDPOINTS } from '../../helpers/endpoints.ts';
import { type Answer, freshAddress, useWorld } from '../../helpers/world.ts';

const ORIGIN = { origin: 'https://shop.example' };
const EXPOSED = 'ETag, X-Request-Id, X-Service-Error, Retry-After, RateLimit, RateLimit-Policy';

const corsHeaders = ({ headers }: Answer) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

function assertReadable(answer: Answer, status: number): void {
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual(corsHeaders(answer).sort(), [
    'access-control-allow-origin',
    'access-control-expose-headers',
  ]);
  assert.equal(answer.headers['access-control-allow-origin'], '*');
  assert.equal(answer.headers['access-control-expose-headers'], EXPOSED);
  // The same headers for every origin: a cache must not keep an answer for each.
  assert.equal(answer.headers.vary, 'X-Api-Key, Origin');
}

describe('CORS', () => {
  const world = useWorld('sqlite');
  const preflight = (path: string) =>
    world.call('OPTIONS', path, {
      headers: {
        ...ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-api-key',
      },
    });

  for (const { path, title } of ENDPOINTS.filter(({ path }) => path.startsWith('/v1/sdk/')))
    it(`a preflight of ${title} needs no key, and browsers keep it for a day`, async () => {
      const { status, text, headers } = await preflight(path);
      assert.deepEqual([status, text], [204, '']);
      assert.equal(headers['access-control-allow-origin'], '*');
      assert.equal(headers['access-control-allow-methods'], 'GET, POST');
      assert.equal(
        headers['access-control-allow-headers'],
        'X-Api-Key, Content-Type, If-None-Match, Idempotency-Key, X-Request-Id',
      );
      assert.equal(Number(headers['access-control-max-age']), 86_400);
      assert.equal(headers['access-control-allow-credentials'], undefined);
      assert.match(String(headers['x-request-id']), /./);
    });

  it('a page of any origin can read answers and errors of the SDK endpoints', async () => {
    const { keys } = await world.newApp();
    const key = keys.live_publishable;
    const body = { fingerprint: { platform: 'IOS' } };
    const ask = (path: string, call: object) =>
      world.call('POST', `/v1/sdk/${path}`, { headers: ORIGIN, ...call });
    assertReadable(await ask('install', { key, body }), 200);
    assertReadable(await ask('install', { key, body: {} }), 400);
    assertReadable(await ask('install', { body }), 401);
    assertReadable(await ask('resolve', { key, body: { shortCode: 'unknown1' } }), 404);
    const { installId } = (await ask('install', { key: keys.test_publishable, body })).body;
    const explanation = { key: keys.test_publishable, headers: ORIGIN };
    assertReadable(await world.call('GET', `/v1/sdk/installs/${installId}/explanation`, explanation), 200);
    assertReadable(await ask('nothing', { key, body }), 404);
    assertReadable(await ask('%zz', { key, body }), 400);
    assertReadable(await ask('install', { key, rawBody: 'x'.repeat(256 * 1024 + 1) }), 413);
    assertReadable(await ask('install', { key, body, headers: { 'content-type': 'text/plain' } }), 415);
    const from = freshAddress();
    for (let refused = 0; refused < 120; refused++) await ask('install', { body, from });
    assertReadable(await ask('install', { body, from }), 429);
  });

  it('other paths have no CORS headers, and no preflight', async () => {
    const { keys } = await world.newApp();
    for (const path of ['/v1/links', '/v1/sdkx', '/v1/sdk', '/healthz', '/v1/debug/attribution', '/l/abc']) {
      const asked = await preflight(path);
      assert.ok(asked.status >= 400, path);
      assert.deepEqual(corsHeaders(asked), [], path);
    }
    const listed = await world.call('GET', '/v1/links', { key: keys.live, headers: ORIGIN });
    assert.deepEqual([listed.status, corsHeaders(listed)], [200, []]);
  });

  it('a page can read that the database is unavailable', async (t) => {
    const refuse = () => Promise.reject(new AppError('database.unavailable'));
    t.mock.method(world.service.keyRing, 'authenticate', refuse);
    const call = { key: 'any', headers: ORIGIN, body: { shortCode: 'unknown1' } };
    assertReadable(await world.call('POST', '/v1/sdk/resolve', call), 503);
  });
});
