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
    const open = (app: TestApp, shortCode: string, installId: string) =>
      world.call('POST', '/v1/sdk/resolve', {
        key: app.keys.live_publishable,
        body: { shortCode, openId: randomUUID(), installId, fingerprint: IOS },
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
      await open(app, shortCode, invited);
      assert.equal((await hook.envelope()).data.invitedBy, inviter);
      assert.equal(await inviterOf(app, invited), inviter);
      await open(app, await newShareLink(world, app, other), invited);
      assert.equal(await inviterOf(app, invited), inviter, 'the first inviter stays');
    });

    it('an open is no invitation of an install that came by another link, is an existing user’s, or is older than a click may be', async () => {
      const app = await newInvitingApp(world, {
        androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
        clickIdWindowHours: 1,
      });
      const inviter = await newInstall(world, app);
      const shortCode = await newShareLink(world, app, inviter);
      const byOther = (await followLink(world, app, (await world.newLink(app)).shortCode)).installId;
      const existing = (await world.install(app, { existingUser: true })).body.installId;
      const old = await newInstall(world, app);
      for (const id of [byOther, existing]) await open(app, shortCode, id);
      world.clock.advance(HOUR_MS + 1_000);
      await open(app, shortCode, old);
      for (const id of [byOther, existing, old]) assert.equal(await inviterOf(app, id), null);
    });

    it('a person’s own link on the own phone is no invitation', async () => {
      const app = await newInvitingApp(world);
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url, events: ['open.direct', 'open.attributed'] });
      const installId = await newInstall(world, app);
      const shortCode = await newShareLink(world, app, installId);
      await open(app, shortCode, installId);
      assert.equal((await hook.envelope()).data.invitedBy, null);
      assert.equal(await inviterOf(app, installId), null);
    });
  });
