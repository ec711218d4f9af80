/** Endpoints, Links: creation, reading, changing and deleting one link. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { FULL_LINK } from '../../helpers/link-fields.ts';
import { assertError } from '../../helpers/shapes.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`endpoints, links, on ${engine}`, () => {
    const world = useWorld(engine);

    it('POST /v1/links returns 201 and the full link', async () => {
      const key = (await world.newApp()).keys.live;
      const { status, body } = await world.call('POST', '/v1/links', { key, body: FULL_LINK });
      assert.equal(status, 201);
      const { expiresInDays: _given, ...fields } = FULL_LINK;
      const { id, shortCode, shortUrl, expiresAt, createdAt, updatedAt } = body;
      const unset = { path: null, importedClicks: null };
      assert.deepEqual(body, {
        ...fields,
        ...unset,
        id,
        shortCode,
        shortUrl,
        expiresAt,
        createdAt,
        updatedAt,
      });
    });

    it('POST /v1/links accepts a custom shortCode', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, { shortCode: 'Spring-Sale_26' });
      assert.equal(link.shortCode, 'Spring-Sale_26');
      assert.equal(link.shortUrl, 'http://links.test/l/Spring-Sale_26');
      assert.equal((await world.tap('Spring-Sale_26')).status, 200);
      assert.equal((await world.tap('spring-sale_26')).status, 404);
    });

    it('POST /v1/links with a shortCode in use, by any app, gets 409', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      for (const { keys } of [app, await world.newApp()]) {
        const body = { deepLinkPath: '/other', shortCode };
        assertError(await world.call('POST', '/v1/links', { key: keys.live, body }), 409, 'link.code_taken');
      }
    });

    it('concurrent creations with one shortCode create one link', async () => {
      const key = (await world.newApp()).keys.live;
      const body = { deepLinkPath: '/', shortCode: 'wanted' };
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => world.call('POST', '/v1/links', { key, body })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    });

    it('GET /v1/links/{shortCode} returns 200 and the full link', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, FULL_LINK);
      const { status, body } = await world.call('GET', `/v1/links/${link.shortCode}`, { key: app.keys.live });
      assert.deepEqual([status, body], [200, link]);
    });

    it('PATCH /v1/links/{shortCode} returns 200 and the full link, and applies to the next visitor', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const link = await world.newLink(app, { iosDestination: 'https://apps.apple.com/app/id1' });
      assert.equal((await world.tap(link.shortCode)).headers.location, 'https://apps.apple.com/app/id1');
      const path = `/v1/links/${link.shortCode}`;
      const body = { iosDestination: 'https://apps.apple.com/app/id2', metadata: { a: 1 } };
      const patched = await world.call('PATCH', path, { key, body });
      assert.equal(patched.status, 200);
      assert.deepEqual(patched.body, { ...link, ...body, updatedAt: patched.body.updatedAt });
      assert.equal((await world.tap(link.shortCode)).headers.location, 'https://apps.apple.com/app/id2');
    });

    it('PATCH /v1/links/{shortCode} with an empty object changes nothing but updatedAt', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, FULL_LINK);
      const path = `/v1/links/${link.shortCode}`;
      const { status, body } = await world.call('PATCH', path, { key: app.keys.live, body: {} });
      assert.deepEqual([status, body], [200, { ...link, updatedAt: body.updatedAt }]);
    });

    it('PATCH of expiresInDays counts from the time of the PATCH', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, { expiresInDays: 30 });
      world.clock.advance(10 * 86_400_000);
      const call = { key: app.keys.live, body: { expiresInDays: 30 } };
      const { body } = await world.call('PATCH', `/v1/links/${link.shortCode}`, call);
      assert.equal(Date.parse(body.expiresAt) - Date.parse(body.updatedAt), 30 * 86_400_000);
    });

    it('DELETE /v1/links/{shortCode} returns 204 without a body', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      const { status, text } = await world.call('DELETE', `/v1/links/${shortCode}`, { key: app.keys.live });
      assert.deepEqual([status, text], [204, '']);
    });

    it('DELETE with a JSON content type and an empty body succeeds', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      const headers = { 'content-type': 'application/json' };
      const { status } = await world.call('DELETE', `/v1/links/${shortCode}`, {
        key: app.keys.live,
        headers,
      });
      assert.equal(status, 204);
    });

    for (const method of ['GET', 'PATCH', 'DELETE'] as const)
      it(`${method} of another app’s link gets 404, and does not change it`, async () => {
        const owner = await world.newApp();
        const other = await world.newApp();
        const link = await world.newLink(owner);
        const path = `/v1/links/${link.shortCode}`;
        const body = method === 'PATCH' ? { deepLinkPath: '/taken-over' } : undefined;
        const foreign = await world.call(method, path, { key: other.keys.live, body });
        assertError(foreign, 404, 'link.not_found');
        const unknown = await world.call(method, '/v1/links/unknown1', { key: other.keys.live, body });
        assert.deepEqual(foreign.body, unknown.body);
        assert.deepEqual((await world.call('GET', path, { key: owner.keys.live })).body, link);
      });

    for (const code of ['no-such-code', 'x', '%00', 'a%20b', 'é', 'a'.repeat(2_000)])
      it(`GET /v1/links/${code.slice(0, 20)} gets 404`, async () => {
        const key = (await world.newApp()).keys.live;
        assertError(await world.call('GET', `/v1/links/${code}`, { key }), 404, 'link.not_found');
      });
  });
