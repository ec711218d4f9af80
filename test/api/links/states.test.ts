/** States and transitions: Link, after it expired or was deleted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

const STORES = {
  iosDestination: 'https://apps.apple.com/app/id1',
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
};

for (const engine of engines)
  describe(`states and transitions of a link on ${engine}`, () => {
    const world = useWorld(engine);

    async function deletedLink() {
      const app = await world.newApp();
      const key = app.keys.live;
      const link = await world.newLink(app, STORES);
      const path = `/v1/links/${link.shortCode}`;
      assert.equal((await world.call('DELETE', path, { key })).status, 204);
      return { app, key, link, path };
    }

    it('Link active → inactive on DELETE: the short code stops redirecting', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, STORES);
      assert.equal((await world.tap(shortCode)).status, 302);
      await world.call('DELETE', `/v1/links/${shortCode}`, { key: app.keys.live });
      const tapped = await world.tap(shortCode, { headers: { accept: 'text/html,*/*' } });
      assert.equal(tapped.status, 404);
      assert.match(String(tapped.headers['content-type']), /^text\/html/);
      assert.equal(tapped.headers.location, undefined);
      assert.equal(tapped.headers['cache-control'], 'no-store');
    });

    for (const method of ['GET', 'PATCH', 'DELETE'] as const)
      it(`a deleted link gets 404 for ${method}`, async () => {
        const { key, path } = await deletedLink();
        const body = method === 'PATCH' ? { campaignId: 'spring' } : undefined;
        assertError(await world.call(method, path, { key, body }), 404, 'link.not_found');
      });

    it('a deleted link is not listed', async () => {
      const { app, key } = await deletedLink();
      const kept = await world.newLink(app);
      assert.deepEqual((await world.call('GET', '/v1/links', { key })).body, [kept]);
    });

    it('a deleted code is never reused, neither by its app nor by another app', async () => {
      const { app, link } = await deletedLink();
      for (const { keys } of [app, await world.newApp()]) {
        const body = { deepLinkPath: '/', shortCode: link.shortCode };
        assertError(await world.call('POST', '/v1/links', { key: keys.live, body }), 409, 'link.code_taken');
      }
      assert.equal((await world.tap(link.shortCode)).status, 404);
    });

    it('a click before the deletion can be claimed, with the link’s payload', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, { ...STORES, campaignId: 'spring' });
      const clickId = await world.clickId(shortCode, { from: freshAddress() });
      await world.call('DELETE', `/v1/links/${shortCode}`, { key: app.keys.live });
      const { body } = await world.install(app, { clickId });
      assert.deepEqual([body.method, body.campaignId], ['CLICK_ID', 'spring']);
      assert.equal(body.deepLinkPayload.deepLinkPath, '/welcome');
    });

    it('a click before an edit keeps its campaign; the payload is the link’s current one', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, { ...STORES, campaignId: 'spring' });
      const clickId = await world.clickId(shortCode, { from: freshAddress() });
      await world.call('PATCH', `/v1/links/${shortCode}`, {
        key: app.keys.live,
        body: { deepLinkPath: '/new', campaignId: 'autumn', sandbox: true },
      });
      const { body } = await world.install(app, { clickId });
      assert.deepEqual([body.method, body.campaignId], ['CLICK_ID', 'spring']);
      assert.equal(body.deepLinkPayload.deepLinkPath, '/new');
    });

    async function expiredLink(fields: Record<string, unknown> = {}) {
      const app = await world.newApp();
      const link = await world.newLink(app, { ...STORES, expiresInDays: 1, ...fields });
      world.clock.advance(DAY_MS);
      return { key: app.keys.live, link, path: `/v1/links/${link.shortCode}` };
    }

    it('an expired link can still be read through the API, and is listed', async () => {
      const { key, link, path } = await expiredLink();
      const { status, body } = await world.call('GET', path, { key });
      assert.deepEqual([status, body], [200, link]);
      assert.deepEqual((await world.call('GET', '/v1/links', { key })).body, [link]);
    });

    it('an expired link gets 410 on the short link host', async () => {
      const { link } = await expiredLink();
      const { status, headers } = await world.tap(link.shortCode);
      assert.deepEqual([status, headers.location], [410, undefined]);
    });

    it('an expired link redirects to its fallbackUrl if one is set', async () => {
      const { link } = await expiredLink({ fallbackUrl: 'https://example.com/app' });
      const { status, headers } = await world.tap(link.shortCode);
      assert.deepEqual([status, headers.location], [302, 'https://example.com/app']);
    });

    it('expiresInDays: null removes the expiry, and the link redirects again', async () => {
      const { key, link, path } = await expiredLink();
      const patched = await world.call('PATCH', path, { key, body: { expiresInDays: null } });
      assert.equal(patched.body.expiresAt, null);
      assert.equal((await world.tap(link.shortCode)).status, 302);
    });
  });
