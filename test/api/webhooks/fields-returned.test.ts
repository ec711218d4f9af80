/** Resources: Webhook and Webhook delivery record. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { once } from '../../helpers/once.ts';
import { assertField, type FieldRow } from '../../helpers/shapes.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { CAUSES, deliveriesOf, newWebhook, SECRET } from '../../helpers/webhooks.ts';
import { useWorld } from '../../helpers/world.ts';

const WEBHOOK_ROWS: readonly FieldRow[] = [
  ['id', 'uuid'],
  ['url', 'string'],
  ['events', 'string[]'],
  ['enabled', 'boolean'],
  ['template', 'string or null'],
  ['templateConfig', 'object or null'],
  ['retries', 'string'],
  ['createdAt', 'timestamp'],
];

const DELIVERY_ROWS: readonly FieldRow[] = [
  ['id', 'uuid'],
  ['app_id', 'uuid'],
  ['webhook_id', 'uuid'],
  ['event_type', 'string'],
  ['webhook_url', 'string'],
  ['request_body', 'string'],
  ['http_status', 'int'],
  ['response_body', 'string'],
  ['error_message', 'string or null'],
  ['attempt_number', 'int'],
  ['success', 'boolean'],
  ['duration_ms', 'int'],
  ['created_at', 'timestamp'],
  ['message_id', 'uuid'],
  ['next_attempt_at', 'timestamp or null'],
  ['given_up', 'boolean'],
];

for (const engine of neutralEngines)
  describe(`resources, Webhook and delivery record, on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();

    const webhooks = once(async () => {
      const app = await world.newApp();
      const config = { mentionText: '@here', accentColor: '#ff0000' };
      const templated = { url: 'https://example.com/a', template: 'slack', templateConfig: config };
      const signed = { url: 'https://example.com/b', events: ['install.organic'] };
      return [await newWebhook(world, app, signed), await newWebhook(world, app, templated)];
    });

    for (const row of WEBHOOK_ROWS)
      it(`Webhook field: ${row.join(', ')}`, async () => {
        for (const webhook of await webhooks()) assertField(webhook, row);
      });

    it('Webhook field: secret, write-only; never returned', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const { id } = await newWebhook(world, app, { url: 'https://example.com' });
      const path = `/v1/webhooks/${id}`;
      for (const answer of [
        await world.call('POST', '/v1/webhooks', {
          key,
          body: { url: 'https://example.com', secret: SECRET },
        }),
        await world.call('GET', path, { key }),
        await world.call('GET', '/v1/webhooks', { key }),
        await world.call('PATCH', path, { key, body: { secret: `${SECRET}, a new one` } }),
      ]) {
        assert.ok([200, 201].includes(answer.status), answer.text);
        assert.ok(!answer.text.includes(SECRET) && !answer.text.includes('"secret"'));
      }
    });

    it('a webhook has exactly these fields', async () => {
      const names = WEBHOOK_ROWS.map(([name]) => name).sort();
      for (const webhook of await webhooks()) assert.deepEqual(Object.keys(webhook).sort(), names);
    });

    /** One failed and one successful delivery. */
    const delivered = once(async () => {
      const app = await world.newApp();
      const hook = receiver.newHook((nth) => (nth === 1 ? 500 : 200));
      const { id } = await newWebhook(world, app, { url: hook.url });
      await CAUSES['install.organic'](world, app);
      const records = await waitFor('the records of both attempts', async () => {
        const all = await deliveriesOf(world, app, id);
        return all.some(({ success }) => success === true) ? all : undefined;
      });
      return { app, hook, id, records };
    });

    for (const row of DELIVERY_ROWS)
      it(`Webhook delivery record field: ${row.join(', ')}`, async () => {
        for (const record of (await delivered()).records) assertField(record, row);
      });

    it('a delivery record has exactly these fields', async () => {
      const names = DELIVERY_ROWS.map(([name]) => name).sort();
      for (const record of (await delivered()).records) assert.deepEqual(Object.keys(record).sort(), names);
    });

    it('every delivery attempt, successful or not, produces one record', async () => {
      const { app, hook, id, records } = await delivered();
      const shown = records.map((record) => [record.attempt_number, record.http_status, record.success]);
      assert.deepEqual(shown, [
        [2, 200, true],
        [1, 500, false],
      ]);
      for (const record of records) {
        assert.deepEqual([record.app_id, record.webhook_id], [app.id, id]);
        assert.deepEqual([record.webhook_url, record.event_type], [hook.url, 'install.organic']);
        assert.equal(record.response_body, 'thanks');
        for (const { raw } of hook.received) assert.equal(record.request_body, raw.toString('utf8'));
      }
      assert.equal(records[0]?.error_message, null);
      assert.equal(typeof records[1]?.error_message, 'string');
    });
  });
