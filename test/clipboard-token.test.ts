/** The token that the landing page on iOS copies names its click: once, for an hour, and to its own app. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from './engines.ts';
import { openPage, STORES } from './landing-scene.ts';
import { freshAddress, type TestApp, useWorld } from './world.ts';

const MINUTE_MS = 60_000;
const RACES = 10;

for (const engine of engines)
  describe(`the clipboard token on ${engine}`, () => {
    const world = useWorld(engine);

    async function scene() {
      const app = await world.newApp({ clipboardToken: true });
      const { shortCode, shortUrl } = await world.newLink(app, { ...STORES, campaignId: 'spring' });
      const { data } = await openPage(world, shortCode);
      const copied = data.copy ?? '';
      const token = new URL(copied).searchParams.get('svc_click_id') ?? '';
      return { app, shortCode, shortUrl, copied, token, clickId: data.click };
    }

    /** From somewhere else, with nothing that a fingerprint could match. */
    async function install(app: TestApp, clickId: string) {
      const body = { fingerprint: { platform: 'IOS' }, clickId };
      return (await world.install(app, body, { from: freshAddress() })).body;
    }

    async function reasonsOf(app: TestApp, clickId: string): Promise<string[]> {
      const { installId } = await install(app, clickId);
      const path = `/v1/installs/${installId}`;
      const { body } = await world.call('GET', path, { key: app.keys.live });
      return body.explanation.rejections.map(({ reason }: { reason: string }) => reason);
    }

    it('is copied as part of the short link', async () => {
      const { shortUrl, copied } = await scene();
      assert.ok(copied.startsWith(`${shortUrl}?svc_click_id=`), copied);
    });

    it('is offered where the app wants it, and on iOS alone', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, STORES);
      assert.equal((await openPage(world, shortCode)).data.copy, undefined);
      const willing = await world.newApp({ clipboardToken: true, landingPage: 'always' });
      const link = await world.newLink(willing, STORES);
      const { data } = await openPage(world, link.shortCode, {
        userAgent: 'Mozilla/5.0 (Linux; Android 14; wv)',
      });
      assert.equal(data.copy, undefined);
    });

    for (const form of ['copied', 'token'] as const)
      it(`names its click, as ${form === 'copied' ? 'the whole address' : 'the token alone'}`, async () => {
        const found = await scene();
        const { method, clickId, campaignId } = await install(found.app, found[form]);
        assert.deepEqual([method, clickId, campaignId], ['CLICK_ID', found.clickId, 'spring']);
      });

    it('serves once: for one install', async () => {
      const { app, copied } = await scene();
      await install(app, copied);
      assert.deepEqual(await reasonsOf(app, copied), ['already_claimed']);
    });

    it('serves once: for no open after the install', async () => {
      const { app, copied } = await scene();
      await install(app, copied);
      const { body } = await world.call('POST', '/v1/sdk/open', {
        key: app.keys.live_publishable,
        from: freshAddress(),
        body: { fingerprint: { platform: 'IOS' }, clickId: copied },
      });
      assert.equal(body.method, 'ORGANIC');
    });

    it('serves once: of an install and an open that bring it at the same moment, one', async () => {
      for (let round = 0; round < RACES; round++) {
        const { app, copied } = await scene();
        const open = async () => {
          const body = { fingerprint: { platform: 'IOS' }, clickId: copied };
          const key = app.keys.live_publishable;
          return (await world.call('POST', '/v1/sdk/open', { key, from: freshAddress(), body })).body;
        };
        const answers = await Promise.all([install(app, copied), open()]);
        assert.deepEqual(answers.map(({ method }) => method).sort(), ['CLICK_ID', 'ORGANIC']);
      }
    });

    it('serves for an hour', async () => {
      const { app, copied } = await scene();
      world.clock.advance(61 * MINUTE_MS);
      assert.deepEqual(await reasonsOf(app, copied), ['token_expired']);
    });

    it('is nothing to another app', async () => {
      const { copied } = await scene();
      assert.deepEqual(await reasonsOf(await world.newApp(), copied), ['malformed']);
    });

    it('is nothing when a character of it was changed, or its end put off', async () => {
      const { app, token } = await scene();
      const [code, click, endsAt = '', signature] = token.split('.');
      const later = (Number.parseInt(endsAt, 36) + 3600).toString(36);
      for (const forged of [
        `${code}.${click}.${later}.${signature}`,
        `${code}x.${click}.${endsAt}.${signature}`,
        `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      ])
        assert.deepEqual(await reasonsOf(app, forged), ['malformed'], forged);
    });
  });
