/** Endpoints, Webhooks: test, deliveries, redelivery and the audit log. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_ID } from '../../helpers/endpoints.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError, RECORD_NOT_FOUND } from '../../helpers/shapes.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { envelopeOf, RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { CAUSES, deliveriesOf, newWebhook } from '../../helpers/webhooks.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`endpoints, webhook test and deliveries, on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();
    const test = (app: TestApp, id: string) =>
      world.call('POST', `/v1/webhooks/${id}/test`, { key: app.keys.live });
    const list = (app: TestApp, query = '') =>
      world.call('GET', `/v1/webhooks/deliveries${query}`, { key: app.keys.live });

    it('POST /v1/webhooks/{id}/test sends test.webhook synchronously: 200 with success', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      const { id } = await newWebhook(world, app, { url: hook.url, events: ['install.organic'] });
      const { status, body } = await test(app, id);
      assert.deepEqual([status, body], [200, { success: true }]);
      assert.deepEqual(
        hook.received.map((delivery) => envelopeOf(delivery).event),
        ['test.webhook'],
      );
    });

    it('POST /v1/webhooks/{id}/test also delivers to a disabled webhook', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      const { id } = await newWebhook(world, app, { url: hook.url });
      await world.call('PATCH', `/v1/webhooks/${id}`, { key: app.keys.live, body: { enabled: false } });
      assert.equal((await test(app, id)).status, 200);
      assert.equal(hook.received.length, 1);
    });

    it('POST /v1/webhooks/{id}/test: 502 if the delivery failed, after one attempt, which is logged', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook(() => 500);
      const { id } = await newWebhook(world, app, { url: hook.url });
      assertError(await test(app, id), 502);
      const records = await deliveriesOf(world, app, id);
      assert.deepEqual(
        records.map((record) => [record.attempt_number, record.http_status]),
        [[1, 500]],
      );
      assert.equal(hook.received.length, 1);
    });

    it('POST /v1/webhooks/{id}/test: 404 if the webhook does not exist', async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const { id } = await newWebhook(world, other, { url: 'https://example.com' });
      for (const unseen of [NO_ID, 'no-uuid', id])
        assertError(await test(app, unseen), 404, RECORD_NOT_FOUND);
    });

    it('GET /v1/webhooks/deliveries returns 200 and an array, newest first, of the app’s own', async () => {
      const app = await world.newApp();
      const { id } = await newWebhook(world, app, { url: receiver.newHook().url });
      for (const _time of [1, 2, 3]) await test(app, id);
      const { status, body } = await list(app);
      assert.deepEqual([status, body.length], [200, 3]);
      const times = body.map(({ created_at }: { created_at: string }) => created_at);
      assert.deepEqual(times, [...times].sort().reverse());
      assert.deepEqual((await list(await world.newApp())).body, []);
    });

    it('query parameter limit, int, default 25, 1 to 100', async () => {
      const app = await world.newApp();
      const { id } = await newWebhook(world, app, { url: receiver.newHook().url });
      for (let sent = 0; sent < 26; sent++) await test(app, id);
      assert.equal((await list(app)).body.length, 25);
      assert.equal((await list(app, '?limit=1')).body.length, 1);
      assert.equal((await list(app, '?limit=100')).body.length, 26);
      for (const limit of ['0', '101', '1.5', 'ten'])
        assertError(await list(app, `?limit=${limit}`), 400, 'request.invalid', 'limit');
    });

    it('query parameter event_type, string: filters by event type', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      const { id } = await newWebhook(world, app, { url: hook.url });
      await test(app, id);
      await CAUSES['install.organic'](world, app);
      await hook.arrived(2);
      const types = await waitFor('both records', async () => {
        const { body } = await list(app);
        return body.length === 2
          ? body.map((record: { event_type: string }) => record.event_type)
          : undefined;
      });
      assert.deepEqual(types, ['install.organic', 'test.webhook']);
      const { body } = await list(app, '?event_type=test.webhook');
      assert.deepEqual(
        body.map((record: { event_type: string }) => record.event_type),
        ['test.webhook'],
      );
      assert.deepEqual((await list(app, '?event_type=open.attributed')).body, []);
    });

    it('query parameter webhook_id, string: filters by webhook ID', async () => {
      const app = await world.newApp();
      const one = await newWebhook(world, app, { url: receiver.newHook().url });
      const two = await newWebhook(world, app, { url: receiver.newHook().url });
      for (const { id } of [one, two]) await test(app, id);
      const { body } = await list(app, `?webhook_id=${one.id}`);
      assert.deepEqual(
        body.map((record: { webhook_id: string }) => record.webhook_id),
        [one.id],
      );
      assert.deepEqual((await list(app, `?webhook_id=${NO_ID}`)).body, []);
    });

    it('POST /v1/webhooks/deliveries/{id}/redelivery sends the same bytes again', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      const { id } = await newWebhook(world, app, { url: hook.url });
      await test(app, id);
      const [record] = await deliveriesOf(world, app, id);
      const path = `/v1/webhooks/deliveries/${String(record?.id)}/redelivery`;
      const answer = await world.call('POST', path, { key: app.keys.live });
      assert.ok(answer.status >= 200 && answer.status < 300, answer.text);
      const [first, second] = await hook.arrived(2);
      assert.deepEqual(second?.raw, first?.raw);
    });

    it('GET /v1/audit-log: newest first, with limit and before', async () => {
      const app = await world.newApp();
      const { status, body } = await world.call('GET', '/v1/audit-log?limit=10', { key: app.keys.live });
      assert.equal(status, 200);
      assert.ok(Array.isArray(body));
      assertError(await world.call('GET', '/v1/audit-log?limit=0', { key: app.keys.live }), 400);
      const ofNoZone = '/v1/audit-log?before=2026-01-31T12:00:00';
      assertError(await world.call('GET', ofNoZone, { key: app.keys.live }), 400, 'request.invalid');
      for (const time of ['1900-01-01T00:00:00Z', '9999-12-31T23:59:59-14:00']) {
        const { text, ...early } = await world.call('GET', `/v1/audit-log?before=${time}`, {
          key: app.keys.live,
        });
        assert.equal(early.status, 200, text);
      }
    });
  });
