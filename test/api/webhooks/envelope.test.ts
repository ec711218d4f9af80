/** Events: the envelope, the headers and the signature. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { once } from '../../helpers/once.ts';
import { assertField, type FieldRow } from '../../helpers/shapes.ts';
import { envelopeOf, type Hook, RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { CAUSES, newWebhook, SECRET } from '../../helpers/webhooks.ts';
import { useWorld } from '../../helpers/world.ts';

const ROWS: readonly FieldRow[] = [
  ['event', 'string'],
  ['timestamp', 'timestamp'],
  ['data', 'object'],
];

async function firstOf(hook: Hook) {
  const [first] = await hook.arrived();
  assert.ok(first);
  return first;
}

for (const engine of engines)
  describe(`events, the envelope, on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();

    const delivered = once(async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url });
      const startMs = world.clock.nowMs();
      await CAUSES['install.organic'](world, app);
      return { ...(await firstOf(hook)), startMs };
    });

    for (const row of ROWS)
      it(`Envelope field: ${row.join(', ')}`, async () => {
        assertField(envelopeOf(await delivered()), row);
      });

    it('the envelope has exactly these fields', async () => {
      const names = ROWS.map(([name]) => name);
      assert.deepEqual(Object.keys(envelopeOf(await delivered())), names);
    });

    it('timestamp is the event’s time', async () => {
      const delivery = await delivered();
      const atMs = Date.parse(envelopeOf(delivery).timestamp);
      assert.ok(atMs >= delivery.startMs && atMs <= world.clock.nowMs());
    });

    it('header Content-Type: application/json', async () => {
      assert.match(String((await delivered()).headers['content-type']), /^application\/json(;|$)/);
    });

    it('header X-Service-Event: the event type', async () => {
      assert.equal((await delivered()).headers['x-service-event'], 'install.organic');
    });

    it('header X-Service-Signature (and authentication rule 6): hex HMAC-SHA256 over the raw body, keyed with the webhook’s secret', async () => {
      const { headers, raw } = await delivered();
      assert.equal(headers['x-service-signature'], createHmac('sha256', SECRET).update(raw).digest('hex'));
    });

    it('authentication rule 6: the secret is per webhook, and a new one signs the next delivery', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const [one, two] = [receiver.newHook(), receiver.newHook()];
      const { id } = await newWebhook(world, app, { url: one.url, secret: 'the first' });
      await newWebhook(world, app, { url: two.url, secret: 'another' });
      await world.call('PATCH', `/v1/webhooks/${id}`, { key, body: { secret: 'the second' } });
      await CAUSES['install.organic'](world, app);
      for (const [hook, secret] of [
        [one, 'the second'],
        [two, 'another'],
      ] as const) {
        const { headers, raw } = await firstOf(hook);
        assert.equal(headers['x-service-signature'], createHmac('sha256', secret).update(raw).digest('hex'));
      }
    });

    it('templated webhooks are not signed', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url, template: 'slack' });
      await CAUSES['install.organic'](world, app);
      const { headers } = await firstOf(hook);
      assert.equal(headers['x-service-event'], 'install.organic');
      assert.deepEqual(
        [headers['x-service-signature'], headers['webhook-signature']],
        [undefined, undefined],
      );
    });

    for (const [secret, key] of [
      [SECRET, Buffer.from(SECRET)],
      ['whsec_AAECAwQFBgcICQ==', Buffer.from('AAECAwQFBgcICQ==', 'base64')],
    ] as const)
      it(`the headers of Standard Webhooks, with a secret such as ${secret}`, async () => {
        const app = await world.newApp();
        const hook = receiver.newHook();
        await newWebhook(world, app, { url: hook.url, secret });
        await CAUSES['install.organic'](world, app);
        const { headers, raw } = await firstOf(hook);
        const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
        const signature = createHmac('sha256', key).update(signed).update(raw).digest('base64');
        assert.equal(headers['webhook-signature'], `v1,${signature}`);
        assert.match(String(headers['webhook-timestamp']), /^\d{10}$/);
      });

    it('User-Agent is Throughline-Webhooks/<version>; X-Service-Sandbox is true for sandbox events only', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url });
      await world.install(app);
      const [live] = await hook.arrived(1);
      await world.install(app, {}, { key: app.keys.test_publishable });
      const [, sandbox] = await hook.arrived(2);
      assert.match(String(live?.headers['user-agent']), /^Throughline-Webhooks\/\d+\.\d+\.\d+/);
      assert.equal(live?.headers['x-service-sandbox'], undefined);
      assert.equal(sandbox?.headers['x-service-sandbox'], 'true');
    });
  });
