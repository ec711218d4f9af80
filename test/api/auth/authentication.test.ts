/** Authentication: the numbered rules of the contract. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ENDPOINTS, type Endpoint, emptyBody, keyOf, NO_ID } from '../../helpers/endpoints.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { operationsOf } from '../../helpers/operations.ts';
import { assertError } from '../../helpers/shapes.ts';
import { freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

interface OpenApi {
  readonly paths: Record<string, Record<string, unknown>>;
}

/** The key of debug is in its body; the others sign a user in. */
const OPEN =
  /^\/v1\/(debug\/attribution|setup|invitations\/(accept|read)|password-resets(\/use)?|session\/(options|oidc.*))$|^\/v1\/session$/;
const KINDS = ['live', 'test', 'live_publishable', 'test_publishable'] as const;
/** The kinds of key that open an endpoint, and what the error for the others says. */
const OPENED_BY: Readonly<
  Record<Endpoint['opensWith'], readonly [readonly (keyof TestApp['keys'])[], RegExp]>
> = {
  live: [['live'], /live/],
  secret: [['live', 'test'], /svc_live_… or svc_test_…/],
  any: [KINDS, /./],
  test: [['test', 'test_publishable'], /test key .*svc_test_…/],
};
const OTHER_REGION_URL = 'https://eu.links.test';

for (const engine of neutralEngines)
  describe(`authentication on ${engine}`, () => {
    const world = useWorld(engine, { OTHER_REGION_URL });
    const europe = useWorld(engine, { REGION: 'eu' });
    let keys: TestApp['keys'];
    before(async () => {
      keys = (await world.newApp()).keys;
    });

    for (const endpoint of ENDPOINTS) {
      const { method, path, title } = endpoint;
      it(`rule 1: ${title} requires X-Api-Key with the app’s API key`, async () => {
        const [body, from] = [emptyBody(endpoint), freshAddress()];
        assertError(await world.call(method, path, { body, from }), 401, 'key.missing', 'X-Api-Key');
        for (const key of ['', 'secret', `svc_live_us_${'x'.repeat(28)}`, `svc_live_${'x'.repeat(20)}`])
          assertError(await world.call(method, path, { key, body, from }), 401);
        const key = keyOf(endpoint, keys);
        assert.notEqual((await world.call(method, path, { key, body })).status, 401);
      });
    }

    it('rule 1: every endpoint under /v1 requires a key, a session or the admin token, except debug and ways to sign in', async () => {
      const { paths } = (await world.call('GET', '/openapi.json')).body as OpenApi;
      const closed = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map(
          (method) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, NO_ID)] as const,
        ),
      );
      const underV1 = closed.filter(([, path]) => path.startsWith('/v1/') && !OPEN.test(path));
      assert.ok(underV1.length >= 11);
      for (const [method, path] of underV1) {
        const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
        const answer = await world.call(method as 'GET', path, { body, from: freshAddress() });
        assert.equal(answer.status, 401, `${method} ${path}`);
      }
    });

    it('rule 1: the key is checked before the body and the record', async () => {
      const call = { key: `svc_live_${'x'.repeat(20)}`, rawBody: '{"broken' };
      assertError(await world.call('POST', '/v1/links', call), 401, 'key.invalid');
      assertError(await world.call('GET', '/v1/links/unknown1', { key: call.key }), 401, 'key.invalid');
    });

    it('rule 1: a key in the query or in Authorization is ignored', async () => {
      const { live } = keys;
      assertError(await world.call('GET', `/v1/links?apiKey=${live}`), 401, 'key.missing');
      const headers = { authorization: `Bearer ${live}` };
      assertError(await world.call('GET', '/v1/links', { headers }), 401, 'key.missing');
    });

    it('rule 2: the debug attribution endpoint accepts the key in the body field apiKey, and only there', async () => {
      const { live } = keys;
      const call = (body: object, key?: string) =>
        world.call('POST', '/v1/debug/attribution', { body, key, from: freshAddress() });
      const fingerprint = IPHONE_FINGERPRINT;
      assert.equal((await call({ apiKey: live, fingerprint })).status, 200);
      assertError(await call({ fingerprint }, live), 401, 'key.missing', 'apiKey');
      assertError(await call({ apiKey: 'nonsense', fingerprint }, live), 401, 'key.invalid');
    });

    it('rule 3: keys start with svc_live_ for production or svc_test_ for sandbox environments', async () => {
      assert.match(keys.live, /^svc_live_(?!pub_)/);
      assert.match(keys.test, /^svc_test_(?!pub_)/);
      assert.match(keys.live_publishable, /^svc_live_pub_/);
      assert.match(keys.test_publishable, /^svc_test_pub_/);
    });

    it('rule 4: a key of the other region gets 401, and the error names the other base address', async () => {
      const { keys: foreign } = await europe.newApp();
      assert.equal((await europe.call('GET', '/v1/links', { key: foreign.live })).status, 200);
      for (const key of [foreign.live, foreign.test])
        assertError(await world.call('GET', '/v1/links', { key }), 401, 'key.wrong_region', OTHER_REGION_URL);
      const apiKey = foreign.live;
      const debug = { body: { apiKey, fingerprint: IPHONE_FINGERPRINT }, from: freshAddress() };
      const refused = await world.call('POST', '/v1/debug/attribution', debug);
      assertError(refused, 401, 'key.wrong_region', OTHER_REGION_URL);
      const sdk = await world.call('POST', '/v1/sdk/install', { key: foreign.live_publishable, body: {} });
      assertError(sdk, 401, 'key.wrong_region', OTHER_REGION_URL);
    });

    it('rule 4: without OTHER_REGION_URL the error names the region', async () => {
      const answer = await europe.call('GET', '/v1/links', { key: keys.live });
      assertError(answer, 401, 'key.wrong_region', /region us/);
    });

    it('the OpenAPI document names the kind of key that each endpoint needs', () => {
      const operations = operationsOf(world);
      for (const { method, path, title, opensWith } of ENDPOINTS) {
        const of = (matches: (documented: string) => boolean) =>
          operations.find((one) => one.method === method && matches(one.path))?.keyKind;
        const kind =
          of((documented) => documented === path) ??
          of((documented) => new RegExp(`^${documented.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path));
        assert.equal(kind, opensWith, title);
      }
    });

    for (const endpoint of ENDPOINTS) {
      const { method, path, title, opensWith } = endpoint;
      const [kinds, error] = OPENED_BY[opensWith];
      it(`rule 5: ${title} opens with keys of the kinds ${kinds.join(', ')} alone`, async () => {
        for (const kind of KINDS) {
          const [key, body, from] = [keys[kind], emptyBody(endpoint), freshAddress()];
          const answer = await world.call(method, path, { key, body, from });
          if (!kinds.includes(kind)) assertError(answer, 401, 'key.wrong_kind', error);
          else {
            assert.notEqual(answer.status, 401, kind);
            assert.notEqual(answer.headers['x-service-error'], 'route.not_found');
          }
        }
      });
    }
  });
