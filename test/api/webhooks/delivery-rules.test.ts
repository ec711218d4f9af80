/** Events: the delivery rules. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Engine, engines } from '../../helpers/engines.ts';
import { once } from '../../helpers/once.ts';
import { assertError } from '../../helpers/shapes.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { CAUSES, deliveriesOf, newWebhook } from '../../helpers/webhooks.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

const TIMEOUT_MS = 10_000;
/** A timer may fire slightly before the time that the records' clock shows. */
const TIMER_SLACK_MS = 50;
/** Deliveries that wait for one receiver that hangs. */
const WAITING = 20;

/** Milliseconds from the end of an attempt to the start of its retry. */
function sinceEnd(before: Record<string, unknown> = {}, retry: Record<string, unknown> = {}): number {
  const endMs = Date.parse(String(before.created_at)) + Number(before.duration_ms);
  return Date.parse(String(retry.created_at)) - endMs;
}

const defineRules = (engine: Engine) =>
  describe(`on ${engine}`, { concurrency: true }, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();

    async function testOf(answer: number | 'never') {
      const app = await world.newApp();
      const hook = receiver.newHook(() => answer);
      const { id } = await newWebhook(world, app, { url: hook.url });
      const { status } = await world.call('POST', `/v1/webhooks/${id}/test`, { key: app.keys.live });
      const [record] = await deliveriesOf(world, app, id);
      assert.ok(record);
      return { status, record, hook };
    }

    it('Timeout: 10 seconds per attempt', async () => {
      const { status, record } = await testOf('never');
      assert.equal(status, 502);
      assert.deepEqual([record.success, record.http_status, record.response_body], [false, 0, '']);
      assert.equal(typeof record.error_message, 'string');
      assert.ok(
        Number(record.duration_ms) >= TIMEOUT_MS - TIMER_SLACK_MS,
        `${String(record.duration_ms)} ms`,
      );
    });

    for (const answer of [200, 201, 202, 204, 299])
      it(`Success: any 2xx status, ${answer}`, async () => {
        const { status, record } = await testOf(answer);
        assert.deepEqual([status, record.success, record.http_status], [200, true, answer]);
      });

    for (const answer of [300, 302, 304, 400, 404, 410, 429, 500, 503])
      it(`Success: no other status, ${answer}; redirects are not followed`, async () => {
        const { status, record, hook } = await testOf(answer);
        assert.deepEqual([status, record.success, record.http_status], [502, false, answer]);
        assert.equal(hook.received.length, 1);
      });

    /** Three failed attempts, sent once and checked by several cases. */
    const failed = once(async () => {
      const app = await world.newApp();
      const hook = receiver.newHook(() => 500);
      const { id } = await newWebhook(world, app, { url: hook.url });
      await CAUSES['install.organic'](world, app);
      const entry = await waitFor('the failure to be in the audit log', async () => {
        const { status, body, text } = await world.call('GET', '/v1/audit-log', { key: app.keys.live });
        assert.equal(status, 200, text);
        const isFailure = ({ action }: { action: string }) => action === 'webhook.delivery_failed';
        return body.filter(isFailure).find((one: object) => JSON.stringify(one).includes(id));
      });
      return { hook, entry, records: (await deliveriesOf(world, app, id)).reverse() };
    });

    it('Max attempts: 3', async () => {
      const { hook, records } = await failed();
      assert.deepEqual(
        records.map((record) => record.attempt_number),
        [1, 2, 3],
      );
      assert.equal(hook.received.length, 3);
    });

    it('Backoff between attempts: 1s, then 5s, after the previous failure', async () => {
      const times = (await failed()).records.map((record) => Date.parse(String(record.created_at)));
      const [first = 0, second = 0, third = 0] = times;
      assert.ok(second - first >= 1_000 - TIMER_SLACK_MS, `${second - first} ms`);
      assert.ok(third - second >= 5_000 - TIMER_SLACK_MS, `${third - second} ms`);
    });

    it(`Backoff: ${WAITING} deliveries to a receiver that hangs are each retried 1s, then 5s after the previous failure`, async () => {
      const app = await world.newApp();
      const hook = receiver.newHook(() => 'never');
      const { id } = await newWebhook(world, app, { url: hook.url, events: ['event.recorded'] });
      const installId = (await world.install(app, {}, { from: freshAddress() })).body.installId;
      const events = Array.from({ length: WAITING }, (_, nth) => ({ installId, eventName: `event ${nth}` }));
      const call = { key: app.keys.live_publishable, from: freshAddress(), body: { events } };
      assert.equal((await world.call('POST', '/v1/sdk/events', call)).status, 200);
      const records = await waitFor('the last attempts', async () => {
        const all = await deliveriesOf(world, app, id);
        return all.length === 3 * WAITING ? all.reverse() : undefined;
      });
      const deliveries = [...Map.groupBy(records, (record) => record.request_body).values()];
      assert.equal(deliveries.length, WAITING);
      for (const [first, second, third] of deliveries) {
        const lateMs = [sinceEnd(first, second) - 1_000, sinceEnd(second, third) - 5_000];
        // After another attempt that hangs, a retry would be late by a timeout or more.
        for (const each of lateMs)
          assert.ok(each >= -TIMER_SLACK_MS && each < TIMEOUT_MS, `${lateMs} ms late`);
      }
    });

    it('if all 3 attempts fail, the failure is recorded in an audit log', async () => {
      assert.ok((await failed()).entry);
    });

    it('every attempt is recorded in the delivery log, and retries send identical bytes', async () => {
      const { hook, records } = await failed();
      assert.equal(records.length, 3);
      const [first] = hook.received;
      for (const { raw } of hook.received) assert.deepEqual(raw, first?.raw);
      const ids = hook.received.map(({ headers }) => headers['webhook-id']);
      assert.equal(new Set(ids).size, 1);
    });

    it('a successful attempt is the last', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook((nth) => (nth === 1 ? 503 : 204));
      const { id } = await newWebhook(world, app, { url: hook.url });
      await CAUSES['install.organic'](world, app);
      const records = await waitFor('the record of the second attempt', async () => {
        const all = await deliveriesOf(world, app, id);
        return all[0]?.success === true ? all : undefined;
      });
      assert.deepEqual(
        records.map((record) => record.success),
        [true, false],
      );
      assert.equal(hook.received.length, 2);
    });

    it('a receiver that does not respond delays no other webhook', async () => {
      const app = await world.newApp();
      const [dead, alive] = [receiver.newHook(() => 'never'), receiver.newHook()];
      for (const { url } of [dead, alive]) await newWebhook(world, app, { url });
      // In sequence, with a timeout of 10 seconds each, these deliveries would take longer than `arrived` waits.
      for (let nth = 0; nth < 8; nth++) await CAUSES['install.organic'](world, app);
      await alive.arrived(8);
    });

    it('a loopback address that is not allowed is rejected', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const body = { url: 'http://[::1]:9/hook', secret: 'a secret' };
      assertError(await world.call('POST', '/v1/webhooks', { key, body }), 400, 'request.invalid');
    });
  });

// The cases mostly wait, so the engines run concurrently.
describe('events, delivery rules', { concurrency: true }, () => {
  for (const engine of engines) defineRules(engine);
});
