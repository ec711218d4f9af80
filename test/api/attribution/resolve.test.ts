/** SDK endpoints: POST /v1/sdk/resolve. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_OPENED_URL_CHARACTERS } from '../../../packages/core/src/limits.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

for (const engine of neutralEngines)
  describe(`SDK endpoints, resolve, on ${engine}`, () => {
    const world = useWorld(engine, { SHORT_LINK_URL: 'https://go.test' });
    const resolve = (app: TestApp, body: unknown, key = app.keys.live_publishable) =>
      world.call('POST', '/v1/sdk/resolve', { key, body });

    it('POST /v1/sdk/resolve returns 200 and the deep link payload with isDeferred false, by url or shortCode', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, { deepLinkPath: '/product/7', deepLinkParams: { id: 7 } });
      const { installId } = (await world.install(app)).body;
      const payload = { deepLinkPath: '/product/7', deepLinkParams: { id: 7 }, isDeferred: false };
      for (const input of [
        { url: link.shortUrl },
        { url: `${link.shortUrl}?source=mail#top` },
        // In the form that a tap would use.
        { url: link.shortUrl.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`) },
        { shortCode: link.shortCode },
        { shortCode: link.shortCode, installId },
        // As long as a tap may be, of which only the first parameters count.
        { url: `${link.shortUrl}?ad=${'x'.repeat(MAX_OPENED_URL_CHARACTERS - link.shortUrl.length - 4)}` },
      ]) {
        const { status, body } = await resolve(app, input);
        assert.deepEqual([status, body], [200, payload]);
      }
    });

    it('an address that is longer than 8,192 characters gets 400', async () => {
      const app = await world.newApp();
      const url = 'https://go.test/l/x?ad='.padEnd(MAX_OPENED_URL_CHARACTERS + 1, 'x');
      assertError(await resolve(app, { url }), 400, 'request.invalid', /url/);
    });

    it('a body without url and shortCode, or with a wrong type, gets 400', async () => {
      const app = await world.newApp();
      for (const input of [{}, { url: null }, { url: 7 }, { shortCode: 7 }, { url: 'no address' }])
        assertError(await resolve(app, input), 400, 'request.invalid', /url|shortCode/);
    });

    it('an unknown, deleted or foreign link gets 404', async () => {
      const app = await world.newApp();
      const deleted = await world.newLink(app);
      await world.call('DELETE', `/v1/links/${deleted.shortCode}`, { key: app.keys.live });
      const foreign = await world.newLink(await world.newApp());
      for (const input of [
        { shortCode: 'unknown1' },
        { shortCode: deleted.shortCode },
        { url: deleted.shortUrl },
        { shortCode: foreign.shortCode },
        { url: foreign.shortUrl },
        { url: 'https://elsewhere.test/l/unknown1' },
      ])
        assertError(await resolve(app, input), 404, 'link.not_found');
    });

    it('a URL of another host gets 404, and the error names the accepted hosts', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      for (const url of [`https://elsewhere.test/l/${shortCode}`, `https://go.test/${shortCode}`]) {
        const answer = await resolve(app, { url });
        assertError(
          answer,
          404,
          'link.not_found',
          /go\.test\/l\/ or links\.test\/l\/ \(SHORT_LINK_URL, PUBLIC_URL\)/,
        );
      }
    });

    it('an edited link resolves to its current values', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      await resolve(app, { shortCode });
      const call = { key: app.keys.live, body: { deepLinkPath: '/new' } };
      await world.call('PATCH', `/v1/links/${shortCode}`, call);
      assert.equal((await resolve(app, { shortCode })).body.deepLinkPath, '/new');
    });

    it('no click is recorded for a link that opened the app', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      await resolve(app, { shortCode });
      await world.service.clickLog.applied();
      const { db } = world.service;
      for (const table of ['clicks', 'opens', 'installs'] as const)
        assert.deepEqual(await db.selectFrom(table).select('id').where('app_id', '=', app.id).execute(), []);
    });
  });

for (const engine of neutralEngines)
  describe(`SDK endpoints, resolve, if SHORT_LINK_URL has a path, on ${engine}`, () => {
    const world = useWorld(engine, { SHORT_LINK_URL: 'https://go.test/promo/' });

    it('only a URL below that path is a short link, also at an app’s own host', async () => {
      const shared = await world.newApp();
      const own = await world.newApp({ shortLinkHost: `${engine}.own.test` });
      for (const [app, host] of [
        [shared, 'go.test'],
        [own, `${engine}.own.test`],
      ] as const) {
        const link = await world.newLink(app, { deepLinkPath: '/product/7' });
        assert.equal(link.shortUrl, `https://${host}/promo/l/${link.shortCode}`);
        const resolve = (url: string) =>
          world.call('POST', '/v1/sdk/resolve', { key: app.keys.live_publishable, body: { url } });
        assert.equal((await resolve(link.shortUrl)).body.deepLinkPath, '/product/7');
        const beside = await resolve(link.shortUrl.replace('/promo', ''));
        assertError(beside, 404, 'link.not_found', new RegExp(`${host}/promo/(l/)? or`));
      }
    });
  });
