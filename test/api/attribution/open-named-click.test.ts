/** An open with a click that brings no credit (again) still tells where the URL leads. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

const LINK = {
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
  ...{ deepLinkPath: '/shoes/42', deepLinkParams: { size: 43 }, campaignId: 'spring' },
};

for (const engine of engines)
  describe(`an open whose click is credited already, on ${engine}`, () => {
    const world = useWorld(engine);

    async function clicked(fields: object = {}, kind: 'live' | 'test' = 'live') {
      const app = await world.newApp({ fingerprintIos: false });
      const link = await world.newLink(app, { ...LINK, ...fields }, app.keys[kind]);
      return { app, link, clickId: await world.clickId(link.shortCode, { from: freshAddress() }) };
    }

    async function open(app: TestApp, clickId: string, key = app.keys.live_publishable) {
      const body = { fingerprint: IPHONE_FINGERPRINT, clickId };
      const answer = await world.call('POST', '/v1/sdk/open', { key, from: freshAddress(), body });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    }

    const change = (app: TestApp, code: string, method: 'PATCH' | 'DELETE', body?: object) =>
      world.call(method, `/v1/links/${code}`, { key: app.keys.live, ...(body && { body }) });

    it('gets the payload of the link as it is now, without credit, on this phone and on another', async () => {
      const { app, link, clickId } = await clicked();
      assert.equal((await open(app, clickId)).method, 'CLICK_ID');
      await change(app, link.shortCode, 'PATCH', { deepLinkPath: '/shoes/43' });
      for (const url of [clickId, `shop://shoes/42?svc_click_id=${clickId}`]) {
        const { attributed, method, clickId: credited, campaignId, deepLinkPayload } = await open(app, url);
        assert.deepEqual([attributed, method, credited, campaignId], [false, 'ORGANIC', null, null]);
        assert.deepEqual(deepLinkPayload, {
          ...{ deepLinkPath: '/shoes/43', deepLinkParams: { size: 43 }, isDeferred: false },
          ...{ shortCode: link.shortCode, campaignId: 'spring' },
        });
      }
    });

    it('gets the payload after the window of its click too', async () => {
      const { app, link, clickId } = await clicked();
      world.clock.advance(24 * 60 * HOUR_MS);
      const { method, deepLinkPayload } = await open(app, clickId);
      assert.deepEqual([method, deepLinkPayload?.shortCode], ['ORGANIC', link.shortCode]);
    });

    it('gets no payload of a deleted or expired link, of another app, or of an unknown click', async () => {
      const deleted = await clicked();
      await open(deleted.app, deleted.clickId);
      await change(deleted.app, deleted.link.shortCode, 'DELETE');
      assert.equal((await open(deleted.app, deleted.clickId)).deepLinkPayload, null);
      const expired = await clicked({ expiresAt: new Date(world.clock.nowMs() + HOUR_MS).toISOString() });
      await open(expired.app, expired.clickId);
      world.clock.advance(2 * HOUR_MS);
      assert.equal((await open(expired.app, expired.clickId)).deepLinkPayload, null);
      const other = await clicked();
      assert.equal((await open(deleted.app, other.clickId)).deepLinkPayload, null);
      assert.equal((await open(other.app, '01985f2e-7a34-7c1b-9d2e-3f4a5b6c7d8e')).deepLinkPayload, null);
    });

    it('gets the payload of a sandbox link with a test key only', async () => {
      const { app, link, clickId } = await clicked({}, 'test');
      await open(app, clickId, app.keys.test_publishable);
      assert.equal((await open(app, clickId)).deepLinkPayload, null);
      const { deepLinkPayload } = await open(app, clickId, app.keys.test_publishable);
      assert.equal(deepLinkPayload?.shortCode, link.shortCode);
    });
  });
