import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { createEvents } from '../../../src/events/index.ts';
import { engines } from '../../helpers/engines.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`events on ${engine}`, () => {
    const world = useWorld(engine);
    const post = (app: TestApp, path: string, body: unknown, key = app.keys.live_publishable) =>
      world.call('POST', `/v1/sdk/${path}`, { key, body });
    const newInstall = async (app: TestApp, key = app.keys.live_publishable) =>
      (await world.install(app, {}, { key })).body.installId as string;
    const stored = (app: TestApp) =>
      world.service.db.selectFrom('events').selectAll().where('app_id', '=', app.id).orderBy('id').execute();

    it('an event is stored before the response', async () => {
      const app = await world.newApp();
      const installId = await newInstall(app);
      const event = {
        installId,
        eventName: 'purchase',
        properties: { price: 9.5, item: 'é' },
        occurredAt: '2026-11-20T10:00:00+02:00',
      };
      const { status, body } = await post(app, 'event', event);
      assert.equal(status, 201);
      const [row] = await stored(app);
      assert.deepEqual(
        { ...row, created_at: null },
        {
          app_id: app.id,
          id: body.eventId,
          client_event_id: null,
          install_id: installId,
          event_name: 'purchase',
          properties: '{"price":9.5,"item":"é"}',
          user_id: null,
          sandbox: 0,
          occurred_at: '2026-11-20T08:00:00.000Z',
          created_at: null,
          erased: null,
          erased_at: null,
          link_id: null,
          campaign_id: null,
          platform: 'IOS',
          country: null,
          last_link_id: null,
          last_campaign_id: null,
          revenue_amount: null,
          revenue_currency: null,
          transaction_id: null,
          repeats_transaction: null,
        },
      );
    });

    it('a retry with the same eventId counts once', async () => {
      const app = await world.newApp();
      const event = { installId: await newInstall(app), eventName: 'level', eventId: randomUUID() };
      const answers = await Promise.all([post(app, 'event', event), post(app, 'event', event)]);
      assert.deepEqual(
        answers.map(({ status, body }) => [status, body.eventId]),
        Array(2).fill([201, event.eventId]),
      );
      assert.equal((await post(app, 'events', { events: [event, event] })).body.results.length, 2);
      assert.equal((await stored(app)).length, 1);
    });

    it('an eventId of another install gets 409', async () => {
      const app = await world.newApp();
      const eventId = randomUUID();
      assert.equal(
        (await post(app, 'event', { installId: await newInstall(app), eventName: 'a', eventId })).status,
        201,
      );
      assert.equal(
        (await post(app, 'event', { installId: await newInstall(app), eventName: 'a', eventId })).status,
        409,
      );
    });

    it('later events of an identified install have its user unless they name their own', async () => {
      const app = await world.newApp();
      const installId = await newInstall(app);
      await post(app, 'event', { installId, eventName: 'before' });
      assert.equal((await post(app, 'identify', { installId, userId: 'u-1' })).status, 204);
      await post(app, 'event', { installId, eventName: 'after' });
      await post(app, 'event', { installId, eventName: 'own', userId: 'u-2' });
      assert.deepEqual(
        (await stored(app)).map((row) => [row.event_name, row.user_id]),
        [
          ['before', null],
          ['after', 'u-1'],
          ['own', 'u-2'],
        ],
      );
    });

    for (const count of [1, 3])
      it(`${count} events do not restore a user erased while they were recorded`, async () => {
        const app = await world.newApp();
        const installId = await newInstall(app);
        await post(app, 'identify', { installId, userId: 'u-1' });
        const { service } = world;
        const commit: typeof service.store.commit = async (statements) => {
          await service.db
            .updateTable('installs')
            .set({ user_id: null })
            .where('id', '=', installId)
            .execute();
          return await service.store.commit(statements);
        };
        const late = createEvents({ ...service, store: { ...service.store, commit } });
        const actor = { appId: app.id, keyId: '', mode: 'live', publishable: false } as const;
        const sender = { actor, connectionAddress: freshAddress() };
        const event = { installId, eventName: 'late' };
        if (count === 1) await late.record({ ...sender, event });
        else await late.recordBatch({ ...sender, events: Array(count).fill(event) });
        assert.deepEqual(
          (await stored(app)).map((row) => [row.event_name, row.user_id]),
          Array(count).fill(['late', null]),
        );
      });

    it('an invalid event does not fail the others of a batch, and results are in order', async () => {
      const app = await world.newApp();
      const installId = await newInstall(app);
      const { status, body } = await post(app, 'events', {
        events: [
          { installId, eventName: 'a' },
          { installId: randomUUID(), eventName: 'b' },
          { installId, eventName: '' },
          'no event',
          { installId, eventName: 'c', properties: { text: 'x'.repeat(33_000) } },
          { installId, eventName: 'd', occurredAt: '2026-12-31T23:59:60Z' },
          { installId, eventName: 'e' },
        ],
      });
      assert.equal(status, 200);
      const statuses = body.results.map((result: { status: number }) => result.status);
      assert.deepEqual(statuses, [201, 404, 400, 400, 400, 400, 201]);
      assert.deepEqual(
        (await stored(app)).map((row) => row.event_name),
        ['a', 'e'],
      );
    });

    it('concurrent batches with the same events in other orders do not deadlock, and each event counts once', async () => {
      const app = await world.newApp();
      const installId = await newInstall(app);
      for (let round = 0; round < 6; round++) {
        const events = Array.from({ length: 500 }, () => ({
          installId,
          eventName: 'e',
          eventId: randomUUID(),
        }));
        const batches = Array.from({ length: 8 }, (_, place) => (place % 2 ? events.toReversed() : events));
        const answers = await Promise.all(batches.map((batch) => post(app, 'events', { events: batch })));
        for (const { status, text } of answers) assert.equal(status, 200, text);
        const rows = (await stored(app)).map((row) => row.client_event_id).slice(-500);
        assert.deepEqual(new Set(rows), new Set(events.map(({ eventId }) => eventId)));
        assert.equal((await stored(app)).length, 500 * (round + 1));
      }
    });

    it('a batch has at most 500 events', async () => {
      const app = await world.newApp();
      const installId = await newInstall(app);
      const events = Array.from({ length: 500 }, (_, index) => ({ installId, eventName: `event ${index}` }));
      assert.equal((await post(app, 'events', { events: [...events, ...events.slice(0, 1)] })).status, 400);
      assert.equal((await post(app, 'events', { events })).status, 200);
      assert.equal((await stored(app)).length, 500);
    });

    it('an install of another app, or a live one to a test key, is not found', async () => {
      const app = await world.newApp();
      const other = await world.newApp();
      const installId = await newInstall(app);
      assert.equal((await post(other, 'event', { installId, eventName: 'x' })).status, 404);
      assert.equal((await post(app, 'event', { installId, eventName: 'x' }, app.keys.test)).status, 404);
      assert.equal(
        (await post(app, 'identify', { installId, userId: 'u' }, app.keys.test_publishable)).status,
        404,
      );
      assert.deepEqual(await stored(app), []);
    });

    it('events of a debug build’s install are sandbox events', async () => {
      const app = await world.newApp();
      const installId = await newInstall(app, app.keys.test_publishable);
      await post(app, 'event', { installId, eventName: 'x' }, app.keys.test_publishable);
      assert.deepEqual(
        (await stored(app)).map((row) => row.sandbox),
        [1],
      );
    });
  });
