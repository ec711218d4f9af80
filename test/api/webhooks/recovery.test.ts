/** Messages that no attempt delivered are sent again, each once; and the health of a webhook. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { insertMany } from '../../../src/db/index.ts';
import { DAY_MS, HOUR_MS, isoTime, MINUTE_MS, SECOND_MS } from '../../../src/lib/clock.ts';
import { createIds } from '../../../src/lib/ids.ts';
import { eraseMessages } from '../../../src/webhooks/index.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { type Behaviour, useReceiverProcess } from '../../helpers/webhook-receiver-process.ts';
import { storedAttempts, waitingFor } from '../../helpers/webhook-scene.ts';
import { deliveriesOf, newWebhook, passAttempts } from '../../helpers/webhooks.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const OK: Behaviour = { kind: 'answer', status: 200 };
const DOWN: Behaviour = { kind: 'answer', status: 500 };

for (const engine of engines)
  describe(`recovery of webhooks on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receivers = useReceiverProcess();

    async function scene(fields: object = {}) {
      const app = await world.newApp();
      const path = `/${randomUUID()}`;
      await receivers.get.behave(path, DOWN);
      const url = receivers.get.url(path);
      const { id } = await newWebhook(world, app, { url, events: ['install.organic'], ...fields });
      const recover = async (body: object, key = app.keys.live) =>
        await world.call('POST', `/v1/webhooks/${id}/recovery`, { key, body });
      return { app, path, id, recover, since: isoTime(world.clock.nowMs() - SECOND_MS) };
    }

    /** Records installs whose messages are given up, in their order. */
    async function giveUp(app: TestApp, id: string, count: number, key = app.keys.live_publishable) {
      const before = await entriesOf(app);
      for (let nth = 0; nth < count; nth++) await world.install(app, {}, { key, from: freshAddress() });
      await passAttempts(world, [id]);
      assert.equal(await entriesOf(app), before + count);
    }

    /** Passes time until the webhook has so many attempts, of which more follow. */
    const attempted = (id: string, count: number) =>
      passAttempts(world, [id], {
        until: async () => (await storedAttempts(world.place, id)).length >= count,
      });

    const entriesOf = async (app: TestApp) => {
      const path = '/v1/audit-log?action=webhook.delivery_failed&limit=100';
      return (await world.call('GET', path, { key: app.keys.live })).body.length as number;
    };
    const arrivedAt = async (path: string) =>
      (await receivers.get.received(path))
        .filter(({ status }) => status === 200)
        .map((each) => each.webhookId);
    const healthOf = async ({ app, id }: { app: TestApp; id: string }) => {
      const { body } = await world.call('GET', '/v1/webhooks', { key: app.keys.live });
      return body.find((webhook: { id: string }) => webhook.id === id).health;
    };

    it('sends what was given up, the oldest first, and each message once however often it is asked', async () => {
      const { app, path, id, recover, since } = await scene({ template: 'slack' });
      await giveUp(app, id, 3);
      const failed = [
        ...new Set((await storedAttempts(world.place, id)).map((each) => each.message_id)),
      ].sort();
      await receivers.get.behave(path, OK);
      const dry = await recover({ since, dryRun: true });
      assert.deepEqual([dry.status, dry.body], [202, { messages: 3 }]);
      assert.equal(await waitingFor(world.place, id), 0);
      assert.deepEqual((await recover({ since })).body, { messages: 3 });
      for (let nth = 0; nth < 3; nth++) assert.deepEqual((await recover({ since })).body, { messages: 0 });
      await passAttempts(world, [id]);
      assert.deepEqual(await arrivedAt(path), failed);
      assert.deepEqual((await recover({ since })).body, { messages: 0 });

      const entries = await world.call('GET', '/v1/audit-log?action=webhook.recovered', {
        key: app.keys.live,
      });
      assert.equal(entries.body.length, 1);
      assert.deepEqual(
        [entries.body[0].details.recordId, entries.body[0].details.messages, entries.body[0].details.since],
        [id, 3, since],
      );
    });

    it('sends none that was delivered, is older, or is erased', async () => {
      const { app, path, id, recover, since } = await scene();
      await giveUp(app, id, 2);
      const [erased] = await deliveriesOf(world, app, id);
      const { installId } = JSON.parse(String(erased?.request_body)).data;
      await world.service.db.transaction().execute((tx) => eraseMessages(tx, app.id, [installId]));
      assert.deepEqual((await recover({ since, dryRun: true })).body, { messages: 1 });
      assert.deepEqual((await recover({ since: isoTime(world.clock.nowMs()), dryRun: true })).body, {
        messages: 0,
      });
      await world.install(app, {}, { from: freshAddress() });
      await attempted(id, 8);
      assert.deepEqual((await recover({ since, dryRun: true })).body, { messages: 2 });
      await receivers.get.behave(path, OK);
      await passAttempts(world, [id]);
      assert.equal((await arrivedAt(path)).length, 1);
      assert.deepEqual((await recover({ since })).body, { messages: 1 });
      await passAttempts(world, [id]);
      assert.equal((await arrivedAt(path)).length, 2);
    });

    it('brings forward what waits for a retry hours later, the oldest first and each message once', async () => {
      const { app, path, id, recover, since } = await scene({ retries: 'extended' });
      for (let nth = 0; nth < 3; nth++) await world.install(app, {}, { from: freshAddress() });
      // Three failures of each.
      await attempted(id, 9);
      await receivers.get.behave(path, OK);
      assert.deepEqual((await recover({ since, dryRun: true })).body, { messages: 3 });
      assert.deepEqual((await recover({ since: isoTime(world.clock.nowMs()) })).body, { messages: 0 });
      assert.deepEqual((await recover({ since })).body, { messages: 3 });
      assert.deepEqual((await recover({ since })).body, { messages: 0 });
      await waitFor('all to arrive', async () => ((await arrivedAt(path)).length === 3 ? true : undefined));
      assert.equal(new Set(await arrivedAt(path)).size, 3);
      await waitFor('the records', async () =>
        (await waitingFor(world.place, id)) === 0 ? true : undefined,
      );
      const last = (await storedAttempts(world.place, id)).slice(-3);
      assert.deepEqual(
        last.map((each) => each.attempt_number),
        [1, 1, 1],
      );
    });

    it('sends what was dropped while the webhook was off, tried before or not, and the log says that none follows', async () => {
      // A chat takes one a second, so that two wait for their first attempt.
      const { app, path, id, recover, since } = await scene({ template: 'slack' });
      for (let nth = 0; nth < 3; nth++) await world.install(app, {}, { from: freshAddress() });
      await waitFor('an attempt', async () =>
        (await storedAttempts(world.place, id)).length > 0 ? true : undefined,
      );
      const key = app.keys.live;
      for (const enabled of [false, true])
        await world.call('PATCH', `/v1/webhooks/${id}`, { key, body: { enabled } });
      assert.equal(await waitingFor(world.place, id), 0);
      await receivers.get.behave(path, OK);
      await passAttempts(world, [id]);
      assert.deepEqual(await arrivedAt(path), []);
      const [first] = await deliveriesOf(world, app, id);
      assert.deepEqual([first?.given_up, first?.next_attempt_at], [true, null]);
      assert.deepEqual((await recover({ since, dryRun: true })).body, { messages: 3 });
      assert.deepEqual((await recover({ since })).body, { messages: 3 });
      assert.deepEqual((await recover({ since })).body, { messages: 0 });
      await passAttempts(world, [id]);
      assert.equal(new Set(await arrivedAt(path)).size, 3);
    });

    it('sends what waits in a pause, which ends, and each message once', async () => {
      const { app, path, id, recover, since } = await scene();
      await receivers.get.behave(path, { kind: 'answer', status: 503, headers: { 'retry-after': '3600' } });
      for (let nth = 0; nth < 3; nth++) await world.install(app, {}, { from: freshAddress() });
      await waitFor('the pause', async () => {
        const { pausedUntil, waiting } = await healthOf({ app, id });
        return pausedUntil !== null && waiting === 3 ? true : undefined;
      });
      const sent = (await receivers.get.received(path)).length;
      await receivers.get.behave(path, OK);
      assert.deepEqual((await recover({ since, dryRun: true })).body, { messages: 3 });
      assert.equal((await receivers.get.received(path)).length, sent);
      assert.deepEqual((await recover({ since })).body, { messages: 3 });
      assert.deepEqual((await recover({ since })).body, { messages: 0 });
      await waitFor('all to arrive', async () => ((await arrivedAt(path)).length === 3 ? true : undefined));
      assert.equal(new Set(await arrivedAt(path)).size, 3);
      assert.equal((await healthOf({ app, id })).pausedUntil, null);
    });

    /** Messages as they are after an outage: every third waits for a retry, the others are given up, the last is erased. */
    async function outage({ app, id }: { app: TestApp; id: string }, count: number) {
      const { db, ids } = world.service;
      // Three each millisecond.
      let nth = 0;
      const startMs = world.clock.nowMs() - HOUR_MS;
      const earlier = createIds({ nowMs: () => startMs + Math.floor(nth++ / 3) });
      const messageIds = Array.from({ length: count }, () => earlier.next());
      const of = { app_id: app.id, sandbox: 0 as const };
      const messages = messageIds.map((messageId, index) => ({
        ...{ ...of, id: messageId, event_type: 'install.organic', record_id: randomUUID() },
        body: index === count - 1 ? '' : JSON.stringify({ index }),
      }));
      const retryAt = isoTime(world.clock.nowMs() + 12 * HOUR_MS);
      const waiting = messageIds.filter((_, index) => index % 3 === 0);
      const queued = waiting.map((message_id) => ({
        ...{ app_id: app.id, id: ids.next(), webhook_id: id, message_id, status: 0 as const },
        ...{ failed_attempts: 3, deferrals: 0, is_repeat: 0 as const, next_attempt_at: retryAt },
        ...{ lease_until: null, webhook_url: null },
      }));
      const failures = messageIds
        .filter((_, index) => index % 3 !== 0)
        .map((message_id) => ({ ...of, webhook_id: id, message_id }));
      await db.transaction().execute(async (tx) => {
        await insertMany(tx, 'webhook_messages', messages);
        await insertMany(tx, 'webhook_queue', queued);
        await insertMany(tx, 'webhook_failures', failures);
      });
      return messageIds.slice(0, -1);
    }

    it('sends an outage of many messages in their order, given up and waiting ones alike, with one entry in the audit log', async () => {
      // A chat takes one a second, so that the others are seen in the queue.
      const of = await scene({ template: 'slack' });
      const { app, id, path, recover } = of;
      const since = isoTime(world.clock.nowMs() - 2 * HOUR_MS);
      await receivers.get.behave(path, OK);
      const messageIds = await outage(of, 1_802);
      assert.deepEqual((await recover({ since, dryRun: true })).body, { messages: 1_801 });
      // Two people at a time.
      const both = await Promise.all([recover({ since }), recover({ since })]);
      assert.equal(
        both.reduce((sum, { body }) => sum + body.messages, 0),
        1_801,
      );
      assert.deepEqual((await recover({ since })).body, { messages: 0 });
      const queued = await world.service.db
        .selectFrom('webhook_queue')
        .select(['message_id', 'failed_attempts'])
        .where('webhook_id', '=', id)
        .orderBy('next_attempt_at')
        .orderBy('message_id')
        .execute();
      assert.ok(queued.length > 1_700, `${queued.length} are left`);
      assert.deepEqual(
        queued.map((each) => each.message_id),
        messageIds.slice(-queued.length),
      );
      assert.ok(queued.every((each) => Number(each.failed_attempts) === 0));
      const call = { key: app.keys.live };
      const entries = await world.call('GET', '/v1/audit-log?action=webhook.recovered', call);
      const audited = entries.body.map((entry: { details: { messages: number } }) => entry.details.messages);
      assert.ok(audited.length <= 2, `${audited.length} entries`);
      assert.equal(
        audited.reduce((sum: number, messages: number) => sum + messages, 0),
        1_801,
      );
      await world.call('PATCH', `/v1/webhooks/${id}`, { ...call, body: { enabled: false } });
    });

    it('sends none twice while retries of the same messages begin', async () => {
      const { app, path, id, recover, since } = await scene({ retries: 'extended' });
      for (let nth = 0; nth < 4; nth++) await world.install(app, {}, { from: freshAddress() });
      await attempted(id, 12);
      await receivers.get.behave(path, { ...OK, afterMs: 20 });
      // The fourth attempts are due.
      world.clock.advance(6 * MINUTE_MS);
      world.service.dispatcher.wake([{ app_id: app.id, webhook_id: id }]);
      for (let nth = 0; nth < 3; nth++) await recover({ since });
      await waitFor('all to arrive', async () =>
        (await waitingFor(world.place, id)) === 0 ? true : undefined,
      );
      const arrived = await arrivedAt(path);
      assert.deepEqual([arrived.length, new Set(arrived).size], [4, 4]);
      assert.deepEqual((await recover({ since })).body, { messages: 0 });
    });

    it('leaves out what a redelivery has delivered, and includes what it has not', async () => {
      const { app, path, id, recover, since } = await scene();
      await giveUp(app, id, 1);
      const [record] = await deliveriesOf(world, app, id);
      const redeliver = () =>
        world.call('POST', `/v1/webhooks/deliveries/${record?.id}/redelivery`, { key: app.keys.live });
      const before = await entriesOf(app);
      assert.equal((await redeliver()).status, 202);
      assert.deepEqual((await recover({ since, dryRun: true })).body, { messages: 0 });
      await passAttempts(world, [id]);
      assert.equal(await entriesOf(app), before + 1);
      assert.deepEqual((await recover({ since, dryRun: true })).body, { messages: 1 });
      await receivers.get.behave(path, OK);
      await redeliver();
      await passAttempts(world, [id]);
      assert.equal((await arrivedAt(path)).length, 1);
      // One that was delivered and fails when it is sent again is not lost.
      await receivers.get.behave(path, DOWN);
      const again = await entriesOf(app);
      await redeliver();
      await passAttempts(world, [id]);
      assert.equal(await entriesOf(app), again + 1);
      assert.deepEqual((await recover({ since, dryRun: true })).body, { messages: 0 });
    });

    it('is refused to a test key for a webhook of a live key', async () => {
      const { app, id, recover, since } = await scene();
      await giveUp(app, id, 1, app.keys.test_publishable);
      assertError(await recover({ since, dryRun: true }, app.keys.test), 404, 'webhook.not_found');
      assert.deepEqual((await recover({ since, dryRun: true })).body, { messages: 1 });
    });

    it('refuses a time without a zone, a webhook of another app, and a disabled one', async () => {
      const { app, id, recover, since } = await scene();
      for (const wrong of ['yesterday', '2026-01-31', '2026-01-31T12:00:00', '', 5, null])
        assertError(await recover({ since: wrong }), 400, 'request.invalid', 'since');
      assertError(await recover({}), 400, 'request.invalid', 'since');
      const { keys } = await world.newApp();
      assertError(await recover({ since }, keys.live), 404, 'webhook.not_found');
      const body = { enabled: false };
      await world.call('PATCH', `/v1/webhooks/${id}`, { key: app.keys.live, body });
      assertError(await recover({ since }), 409, 'webhook.disabled');
      assert.deepEqual((await recover({ since, dryRun: true })).body, { messages: 0 });
    });

    it('refuses a field that it does not know, and sends nothing', async () => {
      const { recover, since } = await scene();
      for (const field of ['dryrun', 'dry_run', 'Since'])
        assertError(await recover({ since, [field]: true }), 400, 'request.invalid', field);
    });

    it('a record says when the next attempt is, then that its message is given up, and no more once it is sent again', async () => {
      const { app, path, id, recover, since } = await scene();
      const states = async () =>
        (await deliveriesOf(world, app, id)).map(({ success, given_up }) => [success, given_up]);
      await world.install(app, {}, { from: freshAddress() });
      await attempted(id, 1);
      const [first] = await deliveriesOf(world, app, id);
      const { next_attempt_at: next, created_at: at } = first ?? {};
      assert.ok(Date.parse(String(next)) > Date.parse(String(at)), `next attempt ${next} after ${at}`);
      assert.deepEqual((await states()).at(-1), [false, false]);
      await passAttempts(world, [id]);
      assert.deepEqual(await states(), Array(3).fill([false, true]));
      assert.equal((await deliveriesOf(world, app, id))[0]?.next_attempt_at, null);
      await receivers.get.behave(path, { kind: 'silent' });
      await recover({ since });
      assert.deepEqual(await states(), Array(3).fill([false, false]));
      await world.call('PATCH', `/v1/webhooks/${id}`, { key: app.keys.live, body: { enabled: false } });

      const tested = await scene();
      const test = `/v1/webhooks/${tested.id}/test`;
      assert.equal((await world.call('POST', test, { key: tested.app.keys.live })).status, 502);
      const [record] = await deliveriesOf(world, tested.app, tested.id);
      assert.equal(record?.given_up, true);
    });

    it('health tells since when a webhook fails, over hours, until it succeeds', async () => {
      const of = await scene({ retries: 'extended' });
      const { app, id, path } = of;
      assert.equal((await healthOf(of)).failingSince, null);
      await world.install(app, {}, { from: freshAddress() });
      await attempted(id, 1);
      const since = (await healthOf(of)).failingSince;
      assert.ok(since);
      // Through the hours of several retries.
      await attempted(id, 7);
      const later = await healthOf(of);
      assert.equal(later.failingSince, since);
      assert.ok(Date.parse(later.lastFailureAt) - Date.parse(since) > 5 * HOUR_MS);
      const one = await world.call('GET', `/v1/webhooks/${id}`, { key: app.keys.live });
      assert.deepEqual(one.body.health, later);
      await receivers.get.behave(path, OK);
      const test = () => world.call('POST', `/v1/webhooks/${id}/test`, { key: app.keys.live });
      assert.equal((await test()).status, 200);
      assert.equal((await healthOf(of)).failingSince, null);
      await receivers.get.behave(path, DOWN);
      world.clock.advance(HOUR_MS);
      await test();
      const again = await healthOf(of);
      assert.ok(again.failingSince > again.lastSuccessAt && again.failingSince <= again.lastFailureAt);
    });

    it('health tells the last results, the counts of a day and the pause', async () => {
      const of = await scene();
      const { app, path, id } = of;
      await giveUp(app, id, 2);
      // A failed test is nothing that was given up.
      await world.call('POST', `/v1/webhooks/${id}/test`, { key: app.keys.live });
      const failed = await healthOf(of);
      assert.deepEqual([failed.failed24h, failed.delivered24h, failed.lastSuccessAt], [2, 0, null]);
      assert.ok(failed.lastFailureAt);
      await receivers.get.behave(path, OK);
      await world.install(app, {}, { from: freshAddress() });
      const delivered = await waitFor('a success', async () => {
        const health = await healthOf(of);
        return health.delivered24h === 1 ? health : undefined;
      });
      assert.ok(delivered.lastSuccessAt > failed.lastFailureAt);
      await receivers.get.behave(path, { kind: 'answer', status: 429, headers: { 'retry-after': '600' } });
      for (let nth = 0; nth < 3; nth++) await world.install(app, {}, { from: freshAddress() });
      const paused = await waitFor('the pause', async () => {
        const health = await healthOf(of);
        return health.pausedUntil !== null && health.waiting === 3 ? health : undefined;
      });
      const [attempt] = await deliveriesOf(world, app, id);
      assert.ok((attempt?.next_attempt_at ?? '') >= paused.pausedUntil);
      const pauseMs = Date.parse(paused.pausedUntil) - world.clock.nowMs();
      assert.ok(pauseMs > 590_000 && pauseMs <= 600_000, `${pauseMs} ms`);
      assert.deepEqual([paused.failed24h, paused.delivered24h], [2, 1]);
      await receivers.get.behave(path, OK);
      world.clock.advance(DAY_MS + HOUR_MS);
      const later = await waitFor('the rest', async () => {
        const health = await healthOf(of);
        return health.waiting === 0 && health.delivered24h === 3 ? health : undefined;
      });
      assert.deepEqual([later.failed24h, later.pausedUntil], [0, null]);
    });
  });
