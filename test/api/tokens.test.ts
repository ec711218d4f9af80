/** The token that the landing page copies on iOS: it identifies its click once, within an hour, for its own app. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../helpers/engines.ts';
import { openPage, STORES } from '../helpers/landing-scene.ts';
import { freshAddress, type TestApp, useWorld } from '../helpers/world.ts';

const MINUTE_MS = 60_000;
const RACES = 4;

for (const engine of engines)
  describe(`the clipboard token on ${engine}`, () => {
    const world = useWorld(engine);

    async function copyToken() {
      const app = await world.newApp({ clipboardToken: true });
      const { shortCode, shortUrl } = await world.newLink(app, { ...STORES, campaignId: 'spring' });
      const { data } = await openPage(world, shortCode);
      const copied = data.copy ?? '';
      const token = new URL(copied).searchParams.get('svc_click_id') ?? '';
      return { app, shortCode, shortUrl, copied, token, clickId: data.click };
    }

    /** Uses another address and no signals, so that no fingerprint matches. */
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

    it('is offered only if the app enables it, and only on iOS', async () => {
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
      it(`identifies its click, sent as ${form === 'copied' ? 'the whole short link' : 'the token alone'}`, async () => {
        const found = await copyToken();
        assert.ok(found.copied.startsWith(`${found.shortUrl}?svc_click_id=`), found.copied);
        const { method, clickId, campaignId } = await install(found.app, found[form]);
        assert.deepEqual([method, clickId, campaignId], ['CLICK_ID', found.clickId, 'spring']);
      });

    it('used by an install, works for no other install and no open', async () => {
      const { app, copied } = await copyToken();
      await install(app, copied);
      assert.deepEqual(await reasonsOf(app, copied), ['already_claimed']);
      const { body } = await world.call('POST', '/v1/sdk/open', {
        key: app.keys.live_publishable,
        from: freshAddress(),
        body: { fingerprint: { platform: 'IOS' }, clickId: copied },
      });
      assert.equal(body.method, 'ORGANIC');
    });

    it('is claimed by exactly one of an install and an open that send it at the same time', async () => {
      const races = Array.from({ length: RACES }, async () => {
        const { app, copied } = await copyToken();
        const open = async () => {
          const body = { fingerprint: { platform: 'IOS' }, clickId: copied };
          const key = app.keys.live_publishable;
          return (await world.call('POST', '/v1/sdk/open', { key, from: freshAddress(), body })).body;
        };
        const answers = await Promise.all([install(app, copied), open()]);
        assert.deepEqual(answers.map(({ method }) => method).sort(), ['CLICK_ID', 'ORGANIC']);
      });
      await Promise.all(races);
    });

    it('expires after an hour', async () => {
      const { app, copied } = await copyToken();
      world.clock.advance(61 * MINUTE_MS);
      assert.deepEqual(await reasonsOf(app, copied), ['token_expired']);
    });

    it('is malformed for another app', async () => {
      const { copied } = await copyToken();
      assert.deepEqual(await reasonsOf(await world.newApp(), copied), ['malformed']);
    });

    it('is malformed when its characters or its expiry are changed', async () => {
      const { app, token } = await copyToken();
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
