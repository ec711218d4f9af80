/** Every request and response: identifiers, sizes and texts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { DESKTOP, freshAddress, useWorld } from '../../helpers/world.ts';

const KIB_256 = 256 * 1_024;
const MIB_4 = 4 * 1_024 * 1_024;

for (const engine of engines)
  describe(`requests and responses on ${engine}`, () => {
    const world = useWorld(engine);

    it('every response has its own X-Request-Id', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const from = freshAddress();
      const { shortCode } = await world.newLink(app, { fallbackUrl: 'https://example.com' });
      const bare = await world.newLink(app, { expiresInDays: 1 });
      const browser = { accept: 'text/html' };
      const path = `/v1/links/${shortCode}`;
      const answers = [
        await world.tap(bare.shortCode),
        await world.tap(shortCode, { userAgent: DESKTOP }),
        await world.tap('unknown1', { headers: browser }),
        await world.call('GET', '/healthz'),
        await world.call('GET', path, { key }),
        await world.call('GET', path),
        await world.call('GET', '/v1/links/unknown1', { key }),
        await world.call('GET', '/nowhere'),
        await world.call('GET', '/v1/links/%zz', { key }),
        await world.call('POST', '/v1/links', { key, body: { deepLinkPath: '/' } }),
        await world.call('POST', '/v1/links', { key, body: {} }),
        await world.call('POST', '/v1/links', { key, rawBody: '{' }),
        await world.call('POST', '/v1/links', { key, body: { deepLinkPath: '/', shortCode } }),
        await world.call('POST', '/v1/links', { key, rawBody: ' '.repeat(KIB_256 + 1) }),
        await world.call('DELETE', path, { key }),
      ];
      world.clock.advance(DAY_MS);
      answers.push(await world.tap(bare.shortCode, { from, headers: browser }));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 302, 404, 200, 200, 401, 404, 404, 400, 201, 400, 400, 409, 413, 204, 410],
      );
      const ids = answers.map(({ headers }) => headers['x-request-id']);
      for (const id of ids) assert.match(String(id), /^[\w.:-]{8,64}$/);
      assert.equal(new Set(ids).size, ids.length);
    });

    it('an error page has X-Service-Error, a success does not', async () => {
      const app = await world.newApp();
      const list = await world.call('GET', '/v1/links', { key: app.keys.live });
      assert.equal(list.headers['x-service-error'], undefined);
      const page = await world.tap('unknown1', { headers: { accept: 'text/html' } });
      assert.equal(page.headers['x-service-error'], 'link.not_found');
    });

    it('a body of 256 KiB is accepted, one byte more gets 413', async () => {
      const key = (await world.newApp()).keys.live;
      const start = '{"deepLinkPath":"/"}';
      const rawBody = start + ' '.repeat(KIB_256 - start.length);
      assert.equal((await world.call('POST', '/v1/links', { key, rawBody })).status, 201);
      assertError(
        await world.call('POST', '/v1/links', { key, rawBody: `${rawBody} ` }),
        413,
        'request.too_large',
      );
    });

    it('a body of 4 MiB is accepted by /v1/sdk/events, one byte more gets 413', async () => {
      const key = (await world.newApp()).keys.live_publishable;
      const start = '{"events":[]}';
      const rawBody = start + ' '.repeat(MIB_4 - start.length);
      assert.equal((await world.call('POST', '/v1/sdk/events', { key, rawBody })).status, 200);
      const refused = await world.call('POST', '/v1/sdk/events', { key, rawBody: `${rawBody} ` });
      assertError(refused, 413, 'request.too_large');
    });

    for (const [what, text] of Object.entries({
      NUL: '\\u0000',
      'a lone high surrogate': '\\ud83d',
      'a lone low surrogate': '\\ude00',
    }))
      it(`a string with ${what} gets 400, in any position`, async () => {
        const app = await world.newApp();
        const key = app.keys.live;
        const refused = async (rawBody: string, field: string) =>
          assertError(
            await world.call('POST', '/v1/links', { key, rawBody }),
            400,
            'request.invalid_text',
            field,
          );
        await refused(`{"deepLinkPath":"/a${text}b"}`, 'deepLinkPath');
        await refused(`{"deepLinkPath":"/","campaignId":"${text}"}`, 'campaignId');
        await refused(`{"deepLinkPath":"/","metadata":{"a":[{"b":"${text}"}]}}`, 'metadata');
        await refused(`{"deepLinkPath":"/","deepLinkParams":{"${text}":1}}`, 'deepLinkParams');
        const install = { key, rawBody: `{"fingerprint":{"platform":"IOS","locale":"${text}"}}` };
        assertError(await world.call('POST', '/v1/sdk/install', install), 400, 'request.invalid_text');
        assert.deepEqual((await world.call('GET', '/v1/links', { key })).body, []);
      });

    it('a NUL in a query parameter gets 400, in a short code 404', async () => {
      const key = (await world.newApp()).keys.live;
      const listed = await world.call('GET', '/v1/links?campaignId=a%00b', { key });
      assertError(listed, 400, 'request.invalid_text', 'campaignId');
      assertError(await world.call('GET', '/v1/links/a%00b', { key }), 404, 'link.not_found');
      assert.equal((await world.tap('a%00b')).status, 404);
    });

    it('surrogate pairs and every other character are stored unchanged', async () => {
      const app = await world.newApp();
      const text = 'ß 😀 ‮ \u0001 \u007f 漢字 \\ " \' ; --';
      const body = { deepLinkPath: text, metadata: { [text]: text } };
      const made = await world.call('POST', '/v1/links', { key: app.keys.live, body });
      assert.equal(made.status, 201, made.text);
      const read = await world.call('GET', `/v1/links/${made.body.shortCode}`, { key: app.keys.live });
      assert.deepEqual([read.body.deepLinkPath, read.body.metadata], [text, { [text]: text }]);
    });
  });
