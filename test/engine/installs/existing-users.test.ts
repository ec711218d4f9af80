/** Installs of people who had the app before the version that brought the SDK. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { envelopeOf, RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

for (const engine of engines)
  describe(`an existing user on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();
    const read = async (app: TestApp, path: string) =>
      (await world.call('GET', path, { key: app.keys.live })).body;
    const android = { platform: 'ANDROID' };

    it('claims no click, by no method, and a later new install gets it', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, PLAY);
      const from = freshAddress();
      const clickId = await world.clickId(shortCode, { from });
      const referrer = { installReferrer: `svc_click_id=${clickId}`, clickId };
      const existing = await world.install(
        app,
        { fingerprint: android, existingUser: true, ...referrer },
        { from },
      );
      assert.equal(existing.status, 200, existing.text);
      assert.deepEqual(
        [
          existing.body.attributed,
          existing.body.method,
          existing.body.clickId,
          existing.body.deepLinkPayload,
        ],
        [false, 'ORGANIC', null, null],
      );
      const details = await read(app, `/v1/installs/${existing.body.installId}`);
      assert.equal(details.existingUser, true);
      assert.match(details.reason, /^The person had the app before .* not attributed\.$/);
      for (const existingUser of [false, null, undefined]) {
        const next = await world.clickId(shortCode, { from });
        const answer = await world.install(
          app,
          { fingerprint: android, clickId: next, existingUser },
          { from },
        );
        assert.equal(answer.body.clickId, next);
      }
      assert.equal(
        (await world.install(app, { fingerprint: android, clickId }, { from })).body.clickId,
        clickId,
      );
    });

    it('gets the same answer again with the same installId, whatever the retry says', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, PLAY);
      const from = freshAddress();
      const body = { installId: randomUUID(), fingerprint: android };
      const first = await world.install(app, { ...body, existingUser: true }, { from });
      const clickId = await world.clickId(shortCode, { from });
      for (const more of [{ existingUser: true }, { existingUser: false, clickId }, { clickId }])
        assert.deepEqual((await world.install(app, { ...body, ...more }, { from })).body, first.body);
      const batch = await world.call('POST', '/v1/sdk/installs', {
        key: app.keys.live_publishable,
        body: {
          installs: [
            { ...body, clickId },
            { fingerprint: android, existingUser: true },
          ],
        },
      });
      assert.deepEqual(batch.body.results[0], { status: 200, ...first.body });
      const installs = await read(app, '/v1/installs');
      assert.deepEqual(
        installs.map(({ existingUser }: { existingUser: boolean }) => existingUser),
        [true, true],
      );
    });

    it('is counted apart: no install, not organic, in no cohort, until it is deleted', async () => {
      const app = await world.newApp();
      await world.install(app, {});
      const { installId } = (await world.install(app, { existingUser: true })).body;
      const send = (path: string, body: object) =>
        world.call('POST', `/v1/sdk/${path}`, { key: app.keys.live_publishable, body });
      assert.equal((await send('event', { installId, eventName: 'paid' })).status, 201);
      world.clock.advance(DAY_MS);
      assert.equal((await send('event', { installId, eventName: 'paid' })).status, 201);
      const counted = ({ installs, organicInstalls, attributedInstalls, existingUsers, events }: never) => [
        ...[installs, organicInstalls, attributedInstalls, existingUsers, events],
      ];
      const stats = await read(app, '/v1/stats?groupBy=method&sort=existingUsers');
      assert.deepEqual(counted(stats.totals as never), [1, 1, 0, 1, 2]);
      assert.deepEqual(
        stats.groups.map(({ key, existingUsers }: { key: string; existingUsers: number }) => [
          key,
          existingUsers,
        ]),
        [['ORGANIC', 1]],
      );
      assert.equal(
        stats.series.reduce((sum: number, each: { existingUsers: number }) => sum + each.existingUsers, 0),
        1,
      );
      const cohorts = async () =>
        (await read(app, '/v1/stats/retention')).cohorts.map(
          ({ installs, active }: { installs: number; active: number[] }) => [
            installs,
            active[0],
            active[1] ?? 0,
          ],
        );
      assert.deepEqual(await cohorts(), [[1, 1, 0]]);
      await world.call('DELETE', `/v1/installs/${installId}`, { key: app.keys.live });
      assert.deepEqual(counted((await read(app, '/v1/stats')).totals as never), [1, 1, 0, 0, 0]);
      assert.deepEqual(await cohorts(), [[1, 1, 0]]);
    });

    it('fires no webhook event of an install', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook(() => 200);
      await newWebhook(world, app, { url: hook.url });
      await world.install(app, { existingUser: true });
      const { installId } = (await world.install(app, {})).body;
      const received = await hook.arrived();
      const ids = received.map((each) => envelopeOf(each).data.installId);
      assert.deepEqual(ids, [installId]);
    });

    it('that is no boolean is refused', async () => {
      const app = await world.newApp();
      for (const existingUser of ['true', 1, {}, []])
        assert.equal((await world.install(app, { existingUser })).status, 400);
    });
  });
