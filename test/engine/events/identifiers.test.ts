import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IDENTIFIERS } from '../../../src/webhooks/index.ts';
import { engines } from '../../helpers/engines.ts';
import { erase } from '../../helpers/privacy-scene.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`identifiers of other systems on ${engine}`, () => {
    const receiver = useReceiver();
    const world = useWorld(engine, RECEIVER_ENV);
    const post = (app: TestApp, path: string, body: unknown) =>
      world.call('POST', `/v1/sdk/${path}`, { key: app.keys.live_publishable, body });
    const newInstall = async (app: TestApp) => (await world.install(app)).body.installId as string;
    const tell = (installId: string, properties: unknown) => ({
      ...{ installId, eventName: 'set_identifiers', properties },
    });
    const installOf = async (app: TestApp, id: string) =>
      await world.service.db
        .selectFrom('installs')
        .selectAll()
        .where('app_id', '=', app.id)
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    const kept = async (app: TestApp, id: string) =>
      JSON.parse((await installOf(app, id)).identifiers ?? 'null') as unknown;
    const rowsOf = async (app: TestApp, table: 'events' | 'pending_counts' | 'webhook_messages') =>
      await world.service.db.selectFrom(table).selectAll().where('app_id', '=', app.id).execute();

    it('set_identifiers merges into those of the install; an empty text or null removes', async () => {
      const app = await world.newApp();
      const id = await newInstall(app);
      const first = { advertisingId: 'a'.repeat(256), metaAnonymousId: 'm', vendorId: 'v' };
      assert.equal((await post(app, 'event', tell(id, first))).status, 201);
      assert.deepEqual(await kept(app, id), first);
      const changes = [
        { vendorId: '', posthogDistinctId: 'p' },
        { metaAnonymousId: null },
        { posthogDistinctId: 'q' },
      ];
      const { body } = await post(app, 'events', { events: changes.map((each) => tell(id, each)) });
      assert.deepEqual(
        (body.results as { status: number }[]).map(({ status }) => status),
        [201, 201, 201],
      );
      assert.deepEqual(await kept(app, id), { advertisingId: 'a'.repeat(256), posthogDistinctId: 'q' });
      await post(app, 'event', tell(id, { advertisingId: null, posthogDistinctId: '' }));
      assert.equal(await kept(app, id), null);
      assert.equal((await post(app, 'event', tell(id, null))).status, 201);
    });

    it('a blank text and an advertising ID of zeros name no device, and remove what was kept', async () => {
      const app = await world.newApp();
      const id = await newInstall(app);
      await post(app, 'event', tell(id, { advertisingId: 'a', vendorId: 'v', posthogDistinctId: '0' }));
      const none = { advertisingId: '00000000-0000-0000-0000-000000000000', vendorId: ' \t ' };
      assert.equal((await post(app, 'event', tell(id, none))).status, 201);
      assert.deepEqual(await kept(app, id), { posthogDistinctId: '0' });
    });

    it('a call that arrives late replaces nothing that happened later, a removal neither', async () => {
      const app = await world.newApp();
      const id = await newInstall(app);
      const at = (minutesAgo: number, properties: unknown) => ({
        ...tell(id, properties),
        occurredAt: new Date(world.clock.nowMs() - minutesAgo * 60_000).toISOString(),
      });
      await post(app, 'event', at(10, { advertisingId: 'new', vendorId: null }));
      await post(app, 'event', at(20, { advertisingId: 'old', vendorId: 'old', posthogDistinctId: 'p' }));
      assert.deepEqual(await kept(app, id), { advertisingId: 'new', posthogDistinctId: 'p' });
      await post(app, 'events', {
        events: [at(5, { vendorId: 'newest' }), at(8, { vendorId: 'older', advertisingId: 'newer' })],
      });
      assert.deepEqual(await kept(app, id), {
        ...{ advertisingId: 'newer', vendorId: 'newest', posthogDistinctId: 'p' },
      });
    });

    it('concurrent calls lose none of their identifiers, beside events of the same install', async () => {
      const app = await world.newApp();
      const id = await newInstall(app);
      world.clock.advance(24 * 3_600_000);
      const answers = await Promise.all([
        ...IDENTIFIERS.map((name) => post(app, 'event', tell(id, { [name]: `of ${name}` }))),
        post(app, 'events', {
          events: [
            { installId: id, eventName: 'a', revenue: { amount: '1', currency: 'EUR' } },
            tell(id, {}),
          ],
        }),
      ]);
      assert.ok(answers.every(({ status }) => status < 300));
      assert.deepEqual(
        await kept(app, id),
        Object.fromEntries(IDENTIFIERS.map((name) => [name, `of ${name}`])),
      );
      assert.equal((await installOf(app, id)).active_days, 0b11);
    });

    it('set_identifiers stores and counts no event, and no webhook is told', async () => {
      const app = await world.newApp();
      await newWebhook(world, app, { url: receiver.newHook().url, events: ['event.recorded'] });
      const id = await newInstall(app);
      const before = await rowsOf(app, 'pending_counts');
      await post(app, 'event', tell(id, { vendorId: 'v' }));
      for (const table of ['events', 'webhook_messages'] as const)
        assert.deepEqual(await rowsOf(app, table), [], table);
      assert.ok((await rowsOf(app, 'pending_counts')).length <= before.length);
      const { body } = await world.call('GET', '/v1/stats', { key: app.keys.live });
      assert.equal(body.totals?.events ?? body.events, 0);
      await post(app, 'event', { installId: id, eventName: 'seen' });
      assert.equal((await rowsOf(app, 'webhook_messages')).length, 1, 'the webhook is told of others');
    });

    it('an unknown identifier and a wrong value are refused with the known ones, and keep nothing', async () => {
      const app = await world.newApp();
      const id = await newInstall(app);
      for (const properties of [
        { vendorId: 'v', idfa: 'x' },
        { vendorId: 7 },
        { vendorId: 'é'.repeat(257) },
      ]) {
        const { status, body } = await post(app, 'event', tell(id, properties));
        assert.equal(status, 400);
        for (const name of IDENTIFIERS) assert.ok(body.error.includes(name), body.error);
        const batch = await post(app, 'events', { events: [tell(id, properties), tell(id, {})] });
        assert.deepEqual(
          (batch.body.results as { status: number }[]).map((result) => result.status),
          [400, 201],
        );
      }
      assert.equal(await kept(app, id), null);
    });

    it('nothing is kept of an install that was recorded with deterministicOnly', async () => {
      const app = await world.newApp();
      const id = (await world.install(app, { deterministicOnly: true })).body.installId as string;
      assert.equal((await post(app, 'event', tell(id, { vendorId: 'v' }))).status, 201);
      assert.equal(await kept(app, id), null);
    });

    it('an export has the identifiers, an erasure removes them, and the install takes no more', async () => {
      const app = await world.newApp();
      const id = await newInstall(app);
      await post(app, 'event', tell(id, { vendorId: 'v-of-ada' }));
      await post(app, 'identify', { installId: id, userId: 'ada' });
      const exported = await world.call('POST', '/v1/privacy/export', {
        ...{ key: app.keys.live, body: { userId: 'ada' } },
      });
      assert.deepEqual(exported.body.installs[0].identifiers, { vendorId: 'v-of-ada' });
      await erase(world, app, { userId: 'ada' });
      assert.equal(await kept(app, id), null);
      const late = await post(app, 'event', tell(id, { vendorId: 'v' }));
      assert.equal(late.headers['x-service-error'], 'install.erased');
      assert.equal(await kept(app, id), null);
    });
  });
