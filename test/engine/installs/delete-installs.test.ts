import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { insertMany } from '../../../src/db/index.ts';
import { createEvents } from '../../../src/events/index.ts';
import { assertCounted, readCounts } from '../../helpers/counts.ts';
import { engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { deliveriesOf, newWebhook } from '../../helpers/webhooks.ts';
import { freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

for (const engine of engines)
  describe(`deletion of installs on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();
    const remove = (app: TestApp, installId: string, key = app.keys.live) =>
      world.call('DELETE', `/v1/installs/${installId}`, { key });
    const removeMatching = (app: TestApp, body: object, key = app.keys.live) =>
      world.call('POST', '/v1/installs/deletions', { key, body });
    const newInstall = async (app: TestApp, { from = freshAddress(), body = {}, key = '' } = {}) =>
      (await world.install(app, body, { from, key: key || app.keys.live_publishable })).body
        .installId as string;
    const record = (app: TestApp, installId: string, events: number, key = app.keys.live_publishable) =>
      world.call('POST', '/v1/sdk/events', {
        key,
        body: {
          events: Array.from({ length: events }, () => ({
            installId,
            eventName: 'e',
            eventId: randomUUID(),
          })),
        },
      });
    const open = (app: TestApp, fields: object) =>
      world.call('POST', '/v1/sdk/open', {
        key: app.keys.live_publishable,
        body: { fingerprint: IPHONE_FINGERPRINT, ...fields },
      });
    const left = async (app: TestApp) => {
      const { db } = world.service;
      const count = async (table: 'installs' | 'opens' | 'events' | 'event_ids') =>
        (await db.selectFrom(table).select('app_id').where('app_id', '=', app.id).execute()).length;
      return [await count('installs'), await count('opens'), await count('events'), await count('event_ids')];
    };

    it('deletes an install with its opens and events, and corrects the counts', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, PLAY);
      const clickId = await world.clickId(link.shortCode);
      const forged = await newInstall(app, { body: { clickId } });
      const honest = await newInstall(app);
      for (const installId of [forged, honest]) {
        await record(app, installId, 3);
        await open(app, { installId });
      }
      assert.deepEqual(await left(app), [2, 2, 6, 6]);
      assert.equal((await remove(app, forged)).status, 204);
      assert.deepEqual(await left(app), [1, 1, 3, 3]);
      assert.equal((await world.call('GET', `/v1/installs/${honest}`, { key: app.keys.live })).status, 200);
      await world.service.clickLog.applied();
      await assertCounted(world.place);
      const stats = await world.call('GET', `/v1/links/${link.shortCode}/stats`, { key: app.keys.live });
      assert.deepEqual([stats.body.totals.installs, stats.body.byMethod], [0, []]);
      assert.equal((await remove(app, forged)).status, 404);
    });

    it('releases the clicks that an install and its opens claimed', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, PLAY);
      const [clickId, opened] = [await world.clickId(link.shortCode), await world.clickId(link.shortCode)];
      const forged = await newInstall(app, { body: { clickId } });
      assert.equal((await open(app, { installId: forged, clickId: opened })).body.clickId, opened);
      assert.equal((await world.install(app, { clickId })).body.clickId, null);
      await remove(app, forged);
      assert.equal((await world.install(app, { clickId })).body.clickId, clickId);
      assert.equal((await open(app, { clickId: opened })).body.clickId, opened);
    });

    it('a deleted install is not recorded again, and its SDK learns that it was deleted', async () => {
      const app = await world.newApp();
      const installId = randomUUID();
      await newInstall(app, { body: { installId } });
      await remove(app, installId);
      const { results } = (await record(app, installId, 1)).body;
      assert.deepEqual([results[0].status, results[0].code], [404, 'install.erased']);
      const again = await world.install(app, { installId });
      assert.deepEqual([again.status, again.headers['x-service-error']], [404, 'install.erased']);
      assert.deepEqual(await left(app), [0, 0, 0, 0]);
    });

    it('deletes an event recorded during the deletion of its install', async () => {
      const app = await world.newApp();
      const installId = await newInstall(app);
      const { service } = world;
      let removal: Promise<unknown> = Promise.resolve();
      const commit: typeof service.store.commit = async (statements) => {
        removal = remove(app, installId);
        await waitFor('the deletion', async () => (await left(app))[0] === 0 || undefined, { everyMs: 10 });
        return await service.store.commit(statements);
      };
      const late = createEvents({ ...service, store: { ...service.store, commit } });
      const actor = { appId: app.id, keyId: '', mode: 'live', publishable: true } as const;
      const event = { installId, eventName: 'late' };
      await late.record({ actor, connectionAddress: freshAddress(), event });
      await removal;
      assert.deepEqual(await left(app), [0, 0, 0, 0]);
      assert.deepEqual(await countsOf(app), []);
    });

    it('pending webhook deliveries of a deleted install are dropped, sent ones stay in the log', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook(() => 500);
      const { id } = await newWebhook(world, app, { url: hook.url });
      const forged = await newInstall(app);
      // Its second attempt is pending.
      await waitFor('an attempt', async () => (await deliveriesOf(world, app, id))[0]);
      await remove(app, forged);
      const { db } = world.service;
      const waiting = () =>
        db.selectFrom('webhook_deliveries').select('id').where('app_id', '=', app.id).executeTakeFirst();
      await waitFor('the end of the delivery', async () => (await waiting()) === undefined || undefined);
      assert.equal(hook.received.length, 1);
      const [attempt, ...others] = await deliveriesOf(world, app, id);
      assert.deepEqual([attempt?.request_body, attempt?.http_status, others.length], ['', 500, 0]);
    });

    it('another app’s install, and a live one with a test key, gets 404', async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const installId = await newInstall(app);
      const sandboxed = await newInstall(app, { key: app.keys.test_publishable });
      assert.equal((await remove(other, installId)).status, 404);
      assert.equal((await remove(app, installId, app.keys.test)).status, 404);
      assert.equal((await remove(app, 'no-id')).status, 404);
      assert.equal((await remove(app, installId, app.keys.live_publishable)).status, 401);
      const all = { from: '2020-01-01T00:00:00Z' };
      assert.equal((await removeMatching(other, { installIds: [installId] })).body.installs, 0);
      assert.equal((await removeMatching(other, { sameAddressAs: installId })).status, 404);
      assert.equal((await removeMatching(app, { ...all, dryRun: true }, app.keys.test)).body.installs, 1);
      assert.equal((await removeMatching(app, all, app.keys.test)).body.installs, 1);
      assert.deepEqual((await left(app))[0], 1);
      assert.equal((await remove(app, sandboxed)).status, 404);
    });

    it('deletes by address, time, link and method', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, PLAY);
      const flood = freshAddress();
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) ids.push(await newInstall(app, { from: flood }));
      const clickId = await world.clickId(link.shortCode, { from: flood });
      await newInstall(app, { from: flood, body: { clickId } });
      world.clock.advance(60_000);
      const from = new Date(world.clock.nowMs()).toISOString();
      await newInstall(app, { from: flood });
      await newInstall(app);

      const sameAddressAs = ids[0];
      const dry = (body: object) => removeMatching(app, { ...body, dryRun: true });
      assert.equal((await dry({ sameAddressAs })).body.installs, 7);
      assert.equal((await dry({ sameAddressAs, from })).body.installs, 1);
      assert.equal((await dry({ from })).body.installs, 2);
      assert.equal((await dry({ from: '2020-01-01T00:00:00Z', to: from })).body.installs, 6);
      assert.equal((await dry({ sameAddressAs, method: 'ORGANIC' })).body.installs, 6);
      assert.equal((await dry({ sameAddressAs, shortCode: link.shortCode })).body.installs, 1);
      assert.equal((await dry({ installIds: ids.slice(0, 2), sameAddressAs })).body.installs, 2);
      assert.equal((await left(app))[0], 8);

      const deleted = await removeMatching(app, {
        sameAddressAs,
        method: 'ORGANIC',
        to: from,
        from: '2020-01-01T00:00:00Z',
      });
      assert.deepEqual(deleted.body, { installs: 5, opens: 0, events: 0, isComplete: true });
      assert.equal((await left(app))[0], 3);
    });

    it('a call deletes up to 1,000 installs and 5,000 records, and reports whether more remain', async () => {
      const app = await world.newApp();
      const { db } = world.service;
      const first = await newInstall(app);
      const [row] = await db.selectFrom('installs').selectAll().where('id', '=', first).execute();
      assert.ok(row);
      const copies = Array.from({ length: 1_100 }, () => ({ ...row, id: randomUUID() }));
      await insertMany(db, 'installs', copies);
      const from = '2020-01-01T00:00:00Z';
      assert.deepEqual((await removeMatching(app, { from })).body, {
        installs: 1_000,
        opens: 0,
        events: 0,
        isComplete: false,
      });
      assert.equal((await removeMatching(app, { from })).body.isComplete, true);
      assert.deepEqual(await left(app), [0, 0, 0, 0]);

      const busy = await newInstall(app);
      for (let batch = 0; batch < 12; batch++) await record(app, busy, 500, app.keys.live);
      const cut = (await removeMatching(app, { from })).body;
      assert.deepEqual([cut.installs, cut.events, cut.isComplete], [0, 5_000, false]);
      assert.deepEqual((await removeMatching(app, { from })).body, {
        installs: 1,
        opens: 0,
        events: 1_000,
        isComplete: true,
      });
    });

    it('concurrent deletions correct the counts once', async () => {
      const app = await world.newApp();
      const installIds = [await newInstall(app), await newInstall(app)];
      for (const installId of installIds) await record(app, installId, 20);
      const answers = await Promise.all(Array.from({ length: 4 }, () => removeMatching(app, { installIds })));
      const total = (field: string) => answers.reduce((sum, { body }) => sum + body[field], 0);
      assert.deepEqual([total('installs'), total('events')], [2, 40]);
      assert.deepEqual(await countsOf(app), []);
    });

    async function countsOf(app: TestApp) {
      return (await readCounts(world.place)).filter(({ app_id }) => app_id === app.id);
    }

    it('the audit log has the filter, the counts and the key of a deletion', async () => {
      const app = await world.newApp();
      const installId = await newInstall(app);
      await record(app, installId, 2);
      await removeMatching(app, { sameAddressAs: installId });
      const [entry] = (await world.call('GET', '/v1/audit-log', { key: app.keys.live })).body;
      assert.equal(entry.action, 'installs.deleted');
      const { keyId, ...details } = entry.details;
      assert.deepEqual(details, {
        sameAddressAs: installId,
        installs: 1,
        opens: 0,
        events: 2,
        changedBy: 'key',
      });
      assert.match(keyId, /^[0-9a-f-]{36}$/);
    });

    it('a request that would match every install, or has an invalid time, gets 400', async () => {
      const app = await world.newApp();
      for (const body of [
        {},
        { method: 'ORGANIC' },
        { to: '2026-01-01T00:00:00Z' },
        { from: '2026-02-30T00:00:60Z' },
        { installIds: [] },
        { installIds: ['x'] },
        { from: '2020-01-01T00:00:00Z', dry_run: true },
      ])
        assert.equal((await removeMatching(app, body)).status, 400, JSON.stringify(body));
      const from = '2020-01-01T00:00:00Z';
      assert.equal((await removeMatching(app, { from, shortCode: 'unknown' })).status, 404);
    });

    it('the operator can delete installs of any app', async () => {
      const app = await world.newApp();
      const installId = await newInstall(app);
      const path = (id: string) => `/apps/${id}/installs/deletions`;
      assert.equal((await world.admin('POST', path(randomUUID()), { installIds: [installId] })).status, 404);
      assert.equal((await world.admin('POST', path(app.id), { installIds: [installId] })).body.installs, 1);
      assert.equal((await world.call('POST', `/v1/admin${path(app.id)}`, { body: {} })).status, 401);
    });
  });
