/** States and transitions: Webhook. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { CAUSES, newWebhook } from '../../helpers/webhooks.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`states and transitions of a webhook on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();

    it('Webhook (none) → enabled on POST with a valid body: 201', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      const { enabled } = await newWebhook(world, app, { url: hook.url });
      assert.equal(enabled, true);
      await CAUSES['install.organic'](world, app);
      assert.equal((await hook.envelope()).event, 'install.organic');
    });

    it('Webhook (none) → disabled on POST with enabled=false, until it is enabled', async () => {
      const app = await world.newApp();
      const [hook, witness] = [receiver.newHook(), receiver.newHook()];
      const { id, enabled } = await newWebhook(world, app, { url: hook.url, enabled: false });
      assert.equal(enabled, false);
      await newWebhook(world, app, { url: witness.url, enabled: null });
      await CAUSES['install.organic'](world, app);
      await witness.arrived(1);
      const call = { key: app.keys.live, body: { enabled: true } };
      assert.equal((await world.call('PATCH', `/v1/webhooks/${id}`, call)).body.enabled, true);
      await CAUSES['install.attributed'](world, app);
      assert.equal((await hook.envelope()).event, 'install.attributed');
      assert.equal(hook.received.length, 1);
    });

    it('Webhook enabled → disabled on PATCH with enabled=false, and back with enabled=true', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const [hook, witness] = [receiver.newHook(), receiver.newHook()];
      const { id } = await newWebhook(world, app, { url: hook.url });
      await newWebhook(world, app, { url: witness.url });
      const patch = async (enabled: boolean) => {
        const answer = await world.call('PATCH', `/v1/webhooks/${id}`, { key, body: { enabled } });
        assert.deepEqual([answer.status, answer.body.enabled], [200, enabled]);
      };
      await patch(false);
      await CAUSES['install.organic'](world, app);
      await witness.arrived(1);
      await patch(true);
      await CAUSES['install.attributed'](world, app);
      assert.equal((await hook.envelope()).event, 'install.attributed');
      await witness.arrived(2);
      assert.equal(hook.received.length, 1);
    });

    it('a deleted webhook gets no deliveries', async () => {
      const app = await world.newApp();
      const [hook, witness] = [receiver.newHook(), receiver.newHook()];
      const { id } = await newWebhook(world, app, { url: hook.url });
      await newWebhook(world, app, { url: witness.url });
      const deleted = await world.call('DELETE', `/v1/webhooks/${id}`, { key: app.keys.live });
      assert.deepEqual([deleted.status, deleted.text], [204, '']);
      await CAUSES['install.organic'](world, app);
      await witness.arrived();
      assert.equal(hook.received.length, 0);
    });
  });
