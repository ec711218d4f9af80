/** Who invited an install: the one that made the link it came by. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { followLink, newInstall, newInvitingApp, newShareLink } from '../../helpers/share-links.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

const HOUR_MS = 3_600_000;
const IOS = { platform: 'IOS' };

for (const engine of engines)
  describe(`inviters on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();

    const get = async (app: TestApp, path: string) =>
      (await world.call('GET', path, { key: app.keys.live })).body;
    const inviterOf = async (app: TestApp, installId: string) =>
      (await get(app, `/v1/installs/${installId}`)).invitedBy;
    const sdk = (app: TestApp, path: string, body: object) =>
      world.call('POST', `/v1/sdk/${path}`, { key: app.keys.live_publishable, body });
    const open = (app: TestApp, shortCode: string, installId: string) =>
      sdk(app, 'resolve', { shortCode, openId: randomUUID(), installId, fingerprint: IOS });
    const openByClick = async (app: TestApp, shortCode: string, installId: string) =>
      await sdk(app, 'open', {
        clickId: await world.clickId(shortCode),
        openId: randomUUID(),
        ...{ installId, fingerprint: { platform: 'ANDROID' } },
      });

    it('an install by a share link names its inviter in answer, page, list, export and webhook', async () => {
      const app = await newInvitingApp(world);
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url, events: ['install.attributed'] });
      const inviter = await newInstall(world, app);
      const invited = await followLink(world, app, await newShareLink(world, app, inviter));
      assert.equal(invited.method, 'CLICK_ID');
      assert.deepEqual(invited.metadata, { invitedBy: inviter });
      assert.equal(await inviterOf(app, invited.installId), inviter);
      const [first, second] = await get(app, '/v1/installs');
      assert.deepEqual([first.id, first.invitedBy, second.invitedBy], [invited.installId, inviter, null]);
      const csv = await world.call('GET', '/v1/installs', {
        key: app.keys.live,
        headers: { accept: 'text/csv' },
      });
      const [names = '', , row = ''] = csv.text.split(/\r?\n/);
      assert.equal(row.split(',')[names.split(',').indexOf('invitedBy')], inviter);
      assert.equal((await hook.envelope()).data.invitedBy, inviter);
    });

    it('an install by a link of the team, and one without a click, has no inviter', async () => {
      const app = await newInvitingApp(world, {
        androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
      });
      const { shortCode } = await world.newLink(app, { metadata: { invitedBy: randomUUID() } });
      const { installId, attributed } = await followLink(world, app, shortCode);
      assert.equal(attributed, true);
      for (const id of [installId, await newInstall(world, app)])
        assert.equal(await inviterOf(app, id), null);
    });

    it('an open by a share link names the inviter, and tells it of a new install that came by no link', async () => {
      const app = await newInvitingApp(world);
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url, events: ['open.direct'] });
      const [inviter, other] = [await newInstall(world, app), await newInstall(world, app)];
      const shortCode = await newShareLink(world, app, inviter);
      const invited = await newInstall(world, app);
      const { metadata } = (await open(app, shortCode, invited)).body;
      assert.deepEqual(metadata, { invitedBy: inviter }, 'the app is told');
      const retried = await world.install(app, { installId: invited, fingerprint: IOS });
      assert.deepEqual(retried.body.metadata, { invitedBy: inviter }, 'a retry of the install tells it too');
      assert.equal((await hook.envelope()).data.invitedBy, inviter);
      assert.equal(await inviterOf(app, invited), inviter);
      await open(app, await newShareLink(world, app, other), invited);
      assert.equal(await inviterOf(app, invited), inviter, 'the first inviter stays');
    });

    it('of installs that are no invitation, answers, webhooks and records of both kinds of opens name nobody', async () => {
      const app = await newInvitingApp(world, {
        androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
        clickIdWindowHours: 1,
      });
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url, events: ['open.direct', 'open.attributed'] });
      const old = await newInstall(world, app);
      const later = await newInstall(world, app);
      world.clock.advance(HOUR_MS + 1_000);
      const inviter = await newInstall(world, app);
      const shortCode = await newShareLink(world, app, inviter);
      const byOther = (await followLink(world, app, (await world.newLink(app)).shortCode)).installId;
      const existing = (await world.install(app, { existingUser: true })).body.installId;
      const ofLater = await newShareLink(world, app, later);
      for (const [code, id] of [
        [shortCode, byOther],
        [shortCode, existing],
        [shortCode, inviter],
        [ofLater, later],
        [shortCode, old],
        // The link was not there yet when the app was installed.
        [ofLater, old],
      ] as const)
        for (const call of [open, openByClick]) {
          const { body, text } = await call(app, code, id);
          assert.deepEqual(body.metadata ?? {}, {}, text);
          assert.equal((await hook.envelope()).data.invitedBy, null);
          assert.equal(await inviterOf(app, id), null);
        }
    });

    it('of two installs that open each other’s links, the later one alone was invited, if the link was there before it', async () => {
      const app = await newInvitingApp(world);
      const first = await newInstall(world, app);
      const linkOfFirst = await newShareLink(world, app, first);
      const second = await newInstall(world, app);
      const linkOfSecond = await newShareLink(world, app, second);
      await open(app, linkOfSecond, first);
      await open(app, linkOfFirst, second);
      assert.deepEqual([await inviterOf(app, first), await inviterOf(app, second)], [null, first]);
      const lateLink = await newShareLink(world, app, first, { deepLinkPath: '/late' });
      const third = await newInstall(world, app);
      await open(app, await newShareLink(world, app, second, { deepLinkPath: '/later' }), third);
      assert.equal(await inviterOf(app, third), null);
      const again = (await open(app, lateLink, second)).body;
      assert.deepEqual(again.metadata, { invitedBy: first }, 'each link of the inviter names it');
    });

    it('an app is told the inviter whatever metadata the team gave the link', async () => {
      const app = await newInvitingApp(world);
      const inviter = await newInstall(world, app);
      const code = await newShareLink(world, app, inviter);
      for (const [metadata, others] of [
        [{ group: 1 }, { group: 1 }],
        [{ invitedBy: randomUUID() }, {}],
        [null, {}],
      ]) {
        const body = { metadata };
        await world.call('PATCH', `/v1/links/${code}`, { key: app.keys.live, body });
        const told = { ...others, invitedBy: inviter };
        assert.deepEqual((await get(app, `/v1/links/${code}`)).metadata, told);
        assert.deepEqual((await followLink(world, app, code)).metadata, told);
        const organic = await newInstall(world, app);
        assert.deepEqual((await open(app, code, organic)).body.metadata, told);
      }
    });
  });
