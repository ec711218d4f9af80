import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS, dayOf, isoTime } from '../../../src/lib/clock.ts';
import { createDailyUsage, deleteOldUsage, type UsageKey } from '../../../src/stats/index.ts';
import { engines } from '../../helpers/engines.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

/** The default address of `World.call`. */
const ADDRESS = '198.51.100.1';

for (const engine of engines)
  describe(`daily limits of events on ${engine}`, () => {
    const world = useWorld(engine);
    const post = (app: TestApp, path: string, body: unknown, key = app.keys.live_publishable) =>
      world.call('POST', `/v1/sdk/${path}`, { key, body });
    const newInstall = async (app: TestApp) => (await world.install(app)).body.installId as string;
    const batchOf = (size: number, event: object) => ({ events: Array(size).fill(event) });
    const statusesOf = (answer: { body: { results: { status: number }[] } }) =>
      answer.body.results.map(({ status }) => status);
    const usageOfAddress = (app: TestApp, address: string) => {
      const { service } = world;
      const { dailyUsage } = service;
      const subject = service.secrets.markId(app.id, service.secrets.hashAddress(app.id, address) ?? '');
      const day = dayOf(isoTime(world.clock.nowMs()));
      return dailyUsage.of({ app_id: app.id, day, kind: 'address_event', subject });
    };
    const refusals = () =>
      world.service.metrics.getSingleMetricAsString('throughline_events_over_daily_bound_total');
    const countStored = async (app: TestApp) => {
      const { db } = world.service;
      const events = db.selectFrom('events').select('id').where('app_id', '=', app.id);
      return (await events.execute()).length;
    };

    it('an install records 10,000 events a day with a publishable key, more with a secret key', async () => {
      const app = await world.newApp();
      const event = { installId: await newInstall(app), eventName: 'e' };
      for (let batch = 0; batch < 19; batch++) await post(app, 'events', batchOf(500, event));
      await post(app, 'events', batchOf(499, event));
      assert.deepEqual(statusesOf(await post(app, 'events', batchOf(3, event))), [201, 429, 429]);
      assert.equal(await countStored(app), 10_000);

      const refused = await post(app, 'event', event);
      assert.deepEqual([refused.status, refused.headers['x-service-error']], [429, 'event.daily_limit']);
      assert.match(
        refused.body.error,
        /^The install has reached its daily limit of 10000 events, which resets at \d{4}-\d\d-\d\dT00:00:00\.000Z\. Send it again then, or record it with a secret key\.$/,
      );
      assert.equal((await post(app, 'event', event, app.keys.live)).status, 201);
      assert.equal((await post(app, 'event', { ...event, installId: await newInstall(app) })).status, 201);
      world.clock.advance(DAY_MS);
      assert.equal((await post(app, 'event', event)).status, 201);
    });

    it('an install records 10 MB of events a day with a publishable key', async () => {
      const app = await world.newApp();
      const event = {
        installId: await newInstall(app),
        eventName: 'e',
        properties: { t: 'x'.repeat(32_000) },
      };
      for (let batch = 0; batch < 3; batch++) await post(app, 'events', batchOf(100, event));
      const statuses = statusesOf(await post(app, 'events', batchOf(100, event)));
      assert.equal(statuses.filter((status) => status === 201).length, 12);
      assert.match((await post(app, 'event', event)).body.error, /daily limit of 10000000 bytes of events/);
    });

    it('an address records 5 % of an app’s events a day with publishable keys, over all installs', async () => {
      const app = await world.newApp({ dailyEventLimit: 220_000 });
      const [from, elsewhere] = [freshAddress(), freshAddress()];
      const [one, other] = [await newInstall(app), await newInstall(app)];
      const named = () => ({ installId: other, eventName: 'e', eventId: randomUUID() });
      const sendFrom = (address: string, path: string, body: unknown, key = app.keys.live_publishable) =>
        world.call('POST', `/v1/sdk/${path}`, { key, body, from: address });
      const first = named();
      assert.equal((await sendFrom(from, 'event', first)).status, 201);
      const usage = usageOfAddress(app, from);
      assert.equal(usage.records, 1);
      usage.add(10_996, 0);

      const batch = [one, other, one, other, other].map((installId) => ({ installId, eventName: 'e' }));
      assert.deepEqual(
        statusesOf(await sendFrom(from, 'events', { events: batch })),
        [201, 201, 201, 429, 429],
      );
      const refused = await sendFrom(from, 'event', named());
      assert.deepEqual([refused.status, refused.headers['x-service-error']], [429, 'event.daily_limit']);
      assert.match(
        refused.body.error,
        /^The address has reached its daily limit of 11000 events, which resets at .*Z\. Send it again then, or from a server with a secret key\.$/,
      );
      assert.match(await refusals(), /bound="address"} [1-9]/);
      assert.equal((await sendFrom(from, 'event', first)).body.eventId, first.eventId);
      assert.equal((await sendFrom(elsewhere, 'event', named())).status, 201);
      assert.equal((await sendFrom(from, 'event', named(), app.keys.live)).status, 201);
      world.clock.advance(DAY_MS);
      assert.equal((await sendFrom(from, 'event', named())).status, 201);
    });

    it('an address records 5 % of an app’s bytes of events, but at least those of one install', async () => {
      const large = { dailyEventBytes: 400_000_000 };
      const small = { dailyEventLimit: 20_000, dailyEventBytes: 20_000_000 };
      // Each event takes 3 bytes.
      for (const [bounds, records, bytes, limit] of [
        [large, 0, 19_999_997, '20000000 bytes of events'],
        [small, 0, 9_999_997, '10000000 bytes of events'],
        [small, 9_999, 0, '10000 events'],
      ] as const) {
        const app = await world.newApp(bounds);
        const event = { installId: await newInstall(app), eventName: 'e' };
        usageOfAddress(app, ADDRESS).add(records, bytes);
        assert.equal((await post(app, 'event', event)).status, 201);
        assert.match(
          (await post(app, 'event', event)).body.error,
          new RegExp(`^The address .* of ${limit},`),
        );
      }
    });

    it('an event that is not recorded does not count towards its address', async () => {
      const app = await world.newApp();
      const event = { installId: await newInstall(app), eventName: 'e', eventId: randomUUID() };
      for (let time = 0; time < 3; time++) await post(app, 'event', event);
      await post(app, 'events', batchOf(3, event));
      assert.equal(usageOfAddress(app, ADDRESS).records, 1);
    });

    it('an app at its limit gets 429 until midnight or until the limit is raised', async () => {
      const app = await world.newApp({ dailyEventLimit: 10 });
      const event = { installId: await newInstall(app), eventName: 'e' };
      assert.deepEqual(statusesOf(await post(app, 'events', batchOf(11, event))), [
        ...Array(9).fill(201),
        429,
        429,
      ]);
      const { status, headers, body } = await post(app, 'event', event);
      assert.equal(status, 429);
      assert.match(body.error, /^The app has reached .* 9 events.* have the operator raise dailyEventLimit/);
      const now = world.clock.nowMs();
      const untilMidnight = (DAY_MS - (now % DAY_MS)) / 1_000;
      assert.ok(
        Math.abs(Number(headers['retry-after']) - untilMidnight) < 60,
        String(headers['retry-after']),
      );

      await world.admin('PATCH', `/apps/${app.id}`, { dailyEventLimit: 20 });
      assert.equal((await post(app, 'event', event)).status, 201);
      await world.admin('PATCH', `/apps/${app.id}`, { dailyEventLimit: null, dailyEventBytes: 100 });
      assert.equal((await post(app, 'event', { ...event, properties: { t: 'x'.repeat(99) } })).status, 429);
    });

    it('a tenth of an app’s limit is reserved for secret keys', async () => {
      const app = await world.newApp({ dailyEventLimit: 10 });
      const event = { installId: await newInstall(app), eventName: 'e' };
      await post(app, 'events', batchOf(10, event));
      assert.equal(await countStored(app), 9);
      assert.equal((await post(app, 'event', event, app.keys.live)).status, 201);
      assert.equal((await post(app, 'event', event, app.keys.live)).status, 429);
    });

    it('a batch gets 429 if every event exceeds a limit', async () => {
      const app = await world.newApp({ dailyEventLimit: 1 });
      const event = { installId: await newInstall(app), eventName: 'e' };
      await post(app, 'events', batchOf(1, event));
      const { status, headers } = await post(app, 'events', batchOf(2, event));
      assert.deepEqual([status, headers['x-service-error']], [429, 'event.daily_limit']);
      assert.ok(Number(headers['retry-after']) > 0);
    });

    it('a retry of a recorded event gets its first response at the limit too, and counts once', async () => {
      const app = await world.newApp({ dailyEventLimit: 3 });
      const installId = await newInstall(app);
      const named = () => ({ installId, eventName: 'e', eventId: randomUUID() });
      const [first, second, third, fourth] = [named(), named(), named(), named()];
      for (let time = 0; time < 4; time++) assert.equal((await post(app, 'event', first)).status, 201);
      for (let time = 0; time < 4; time++)
        assert.deepEqual(statusesOf(await post(app, 'events', { events: [first, second] })), [201, 201]);
      assert.equal((await post(app, 'event', third)).status, 201);
      assert.equal((await post(app, 'event', fourth)).status, 429);
      assert.equal((await post(app, 'event', third)).body.eventId, third.eventId);
      assert.deepEqual(
        statusesOf(await post(app, 'events', { events: [first, fourth, third] })),
        [201, 429, 201],
      );
      assert.equal(await countStored(app), 3);
    });

    it('processes share their usage once both have saved', async () => {
      const { id: appId } = await world.newApp();
      const key: UsageKey = { app_id: appId, day: '2026-11-20', kind: 'event', subject: appId };
      const [one, other] = [createDailyUsage(world.service), createDailyUsage(world.service)];
      one.of(key).add(7, 70);
      await one.stop();
      other.of(key).add(2, 20);
      assert.deepEqual([other.of(key).records, other.of(key).bytes], [2, 20]);
      await other.stop();
      assert.deepEqual([other.of(key).records, other.of(key).bytes], [9, 90]);
    });

    it('an install has no row before it has recorded a hundred events', async () => {
      const { id: appId } = await world.newApp();
      const { service } = world;
      const usage = createDailyUsage(service);
      const key = { app_id: appId, day: '2026-11-20', kind: 'install_event' } as const;
      usage.of({ ...key, subject: randomUUID() }).add(99, 99);
      const busy = randomUUID();
      usage.of({ ...key, subject: busy }).add(100, 100);
      await usage.stop();
      const rows = await service.db
        .selectFrom('daily_usage')
        .selectAll()
        .where('app_id', '=', appId)
        .execute();
      assert.deepEqual(
        rows.map(({ subject, records }) => [subject, records]),
        [[busy, 100]],
      );
    });

    it('usage of past days is deleted, today’s is kept', async () => {
      const { id: appId } = await world.newApp();
      const { service } = world;
      const usage = createDailyUsage(service);
      for (const day of ['2026-11-18', '2026-11-19', '2026-11-20'])
        for (const subject of [appId, randomUUID()])
          usage.of({ app_id: appId, day, kind: 'event', subject }).add(1, 1);
      await usage.stop();
      while ((await deleteOldUsage(service.db, appId, { beforeMs: Date.parse('2026-11-20'), limit: 1 })) > 0);
      const rows = await service.db
        .selectFrom('daily_usage')
        .select('day')
        .where('app_id', '=', appId)
        .execute();
      assert.deepEqual(
        rows.map(({ day }) => day),
        ['2026-11-20', '2026-11-20'],
      );
    });

    it('an app at its limit is logged once a day, and rejections are in the metrics', async (t) => {
      const { log } = world.service;
      const warn = t.mock.method(log, 'warn');
      const refused = async () => Number(/bound="app"} (\d+)/.exec(await refusals())?.[1] ?? 0);
      const before = await refused();
      const app = await world.newApp({ dailyEventLimit: 1 });
      const event = { installId: await newInstall(app), eventName: 'e' };
      await post(app, 'events', batchOf(5, event));
      assert.equal(await refused(), before + 4);
      await post(app, 'event', event);
      const logged = () =>
        warn.mock.calls.filter((call) => (call.arguments[0] as { appId?: string }).appId === app.id).length;
      assert.equal(logged(), 1);
      world.clock.advance(DAY_MS);
      await post(app, 'events', batchOf(2, event));
      assert.equal(logged(), 2);
    });
  });
