/** Opens by the link itself: `POST /v1/sdk/resolve` with an `openId`. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

const LINK = { campaignId: 'spring', deepLinkPath: '/product/7', deepLinkParams: { id: 7 } };

for (const engine of engines)
  describe(`direct opens on ${engine}`, () => {
    const world = useWorld(engine);

    const resolve = (
      app: TestApp,
      body: Record<string, unknown>,
      { from = '198.51.100.1', key = app.keys.live_publishable } = {},
    ) =>
      world.call('POST', '/v1/sdk/resolve', {
        key,
        from,
        body: { fingerprint: IPHONE_FINGERPRINT, ...body },
      });
    const read = async (app: TestApp, path: string) => {
      const answer = await world.call('GET', path, { key: app.keys.live });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const rowsOf = (app: TestApp) =>
      world.service.db.selectFrom('opens').selectAll().where('app_id', '=', app.id).execute();

    it('an open is recorded once, however often and concurrently it is sent, and each answer is the first', async () => {
      const app = await world.newApp();
      const { shortCode, shortUrl } = await world.newLink(app, LINK);
      const body = { url: shortUrl, openId: randomUUID() };
      const answers = await Promise.all([1, 2, 3].map(() => resolve(app, body)));
      await world.call('DELETE', `/v1/links/${shortCode}`, { key: app.keys.live });
      // The link is gone, and the ID is written in capitals.
      answers.push(await resolve(app, { ...body, openId: body.openId.toUpperCase() }));
      const expected = { deepLinkPath: '/product/7', deepLinkParams: { id: 7 }, isDeferred: false };
      for (const answer of answers)
        assert.deepEqual(
          [answer.status, answer.body],
          [200, { ...expected, openId: body.openId, shortCode, campaignId: 'spring' }],
        );
      const opens = await read(app, '/v1/opens?method=DIRECT');
      assert.equal(opens.length, 1);
      const { totals } = await read(app, '/v1/stats');
      assert.deepEqual([totals.opens, totals.directOpens, totals.clicks], [1, 1, 0]);
    });

    it('an open has its link without a click, its device, and the address as a hash', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      const { shortCode } = await world.newLink(app, LINK);
      await world.tap(shortCode, { from });
      const openId = randomUUID();
      // A publishable key cannot choose the address.
      const fingerprint = { ...IPHONE_FINGERPRINT, ipAddress: '203.0.113.99' };
      await resolve(app, { shortCode, openId, fingerprint }, { from });
      const [item] = await read(app, `/v1/opens?shortCode=${shortCode}`);
      assert.deepEqual(
        [item.id, item.method, item.clickId, item.installId, item.campaignId, item.deviceModel, item.sandbox],
        [openId, 'DIRECT', null, null, 'spring', 'iPhone15,2', false],
      );
      const [row] = await rowsOf(app);
      assert.equal(row?.ip_hash, world.service.secrets.hashAddress(app.id, from));
      const later = await world.call('POST', '/v1/sdk/open', {
        key: app.keys.live_publishable,
        from,
        body: { fingerprint: IPHONE_FINGERPRINT },
      });
      assert.equal(later.body.method, 'FINGERPRINT', 'the click is still unclaimed');
    });

    it('with a secret key the address is that of the fingerprint', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      const ipAddress = freshAddress();
      const fingerprint = { platform: 'ANDROID', ipAddress };
      await resolve(app, { shortCode, openId: randomUUID(), fingerprint }, { key: app.keys.live });
      const [row] = await rowsOf(app);
      assert.equal(row?.ip_hash, world.service.secrets.hashAddress(app.id, ipAddress));
    });

    it('later events of the install are credited to the link, and its attribution stays', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, LINK);
      const { installId } = (await world.install(app)).body;
      const event = { installId, eventName: 'purchase' };
      await resolve(app, { shortCode, openId: randomUUID(), installId });
      await world.call('POST', '/v1/sdk/event', { key: app.keys.live_publishable, body: event });
      const [item] = await read(app, '/v1/events');
      assert.deepEqual([item.shortCode, item.lastShortCode], [null, shortCode]);
      const { groups } = await read(app, '/v1/stats?groupBy=link&credit=last&sort=events');
      assert.equal(groups.find(({ key }: { key: string }) => key === shortCode).events, 1);
      const install = await read(app, `/v1/installs/${installId}`);
      assert.deepEqual([install.method, install.campaignId], ['ORGANIC', null]);
      assert.deepEqual(
        install.opens.map((open: Record<string, unknown>) => [open.method, open.campaignId]),
        [['DIRECT', 'spring']],
      );
    });

    it('an open counts as activity of its install', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      const { installId } = (await world.install(app)).body;
      world.clock.advance(24 * 3_600_000);
      await resolve(app, { shortCode, openId: randomUUID(), installId });
      const [cohort] = (await read(app, '/v1/stats/retention')).cohorts;
      assert.deepEqual(cohort.active.slice(0, 2), [1, 1]);
    });

    it('debug builds and test keys record in the sandbox, and only they resolve sandbox links', async () => {
      const app = await world.newApp();
      const live = await world.newLink(app);
      const sandbox = await world.newLink(app, { sandbox: true });
      const openId = randomUUID();
      assertError(await resolve(app, { shortCode: sandbox.shortCode, openId }), 404, 'link.not_found');
      const key = app.keys.test_publishable;
      for (const { shortCode } of [live, sandbox]) {
        await resolve(app, { shortCode, openId: randomUUID(), debugBuild: true });
        await resolve(app, { shortCode, openId: randomUUID() }, { key });
      }
      assert.deepEqual(
        (await rowsOf(app)).map((row) => row.sandbox),
        [1, 1, 1, 1],
      );
      assert.equal((await read(app, '/v1/opens')).length, 0);
      assert.equal((await read(app, '/v1/opens?sandbox=true')).length, 4);
    });

    it('an ID of a record that the key cannot see, or of a deferred open, gets 409 and changes nothing', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      const [openId, deferred] = [randomUUID(), randomUUID()];
      await resolve(app, { shortCode, openId });
      const key = app.keys.test_publishable;
      assertError(await resolve(app, { shortCode, openId }, { key }), 409, 'record.id_taken');
      const open = { key: app.keys.live_publishable, body: { fingerprint: IPHONE_FINGERPRINT } };
      const again = (id: string) =>
        world.call('POST', '/v1/sdk/open', { ...open, body: { ...open.body, openId: id } });
      await again(deferred);
      assertError(await resolve(app, { shortCode, openId: deferred }), 409, 'record.id_taken');
      assertError(await again(openId), 409, 'record.id_taken');
      assert.equal((await rowsOf(app)).length, 2);
      // IDs are the app's own.
      const other = await world.newApp();
      const link = await world.newLink(other);
      assert.equal((await resolve(other, { shortCode: link.shortCode, openId })).status, 200);
    });

    it('an open without a fingerprint gets 400, one of no link 404, and neither is recorded', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      const openId = randomUUID();
      for (const fingerprint of [null, {}, { platform: 'WINDOWS' }])
        assertError(
          await resolve(app, { shortCode, openId, fingerprint }),
          400,
          'request.invalid',
          /fingerprint/,
        );
      assertError(await resolve(app, { shortCode: 'unknown1', openId }), 404, 'link.not_found');
      assert.equal((await rowsOf(app)).length, 0);
    });

    it('opens are exported and erased with their install’s user', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, LINK);
      const { installId } = (await world.install(app)).body;
      await world.call('POST', '/v1/sdk/identify', {
        key: app.keys.live,
        body: { installId, userId: 'ada' },
      });
      await resolve(app, { shortCode, openId: randomUUID(), installId });
      const call = { key: app.keys.live, body: { userId: 'ada' } };
      const [exported] = (await world.call('POST', '/v1/privacy/export', call)).body.openEvents;
      assert.deepEqual([exported.attributionMethod, exported.campaignId], ['DIRECT', 'spring']);
      const { requestIds } = (await world.call('POST', '/v1/privacy/erase', call)).body;
      await waitFor('the erasure', async () => {
        const { status } = await read(app, `/v1/privacy/erase/${requestIds[0]}`);
        return status === 'completed' ? true : undefined;
      });
      const [row] = await rowsOf(app);
      assert.deepEqual(
        [row?.ip_hash, row?.device_model, row?.fingerprint, row?.campaign_id],
        [null, null, null, 'spring'],
      );
    });
  });
