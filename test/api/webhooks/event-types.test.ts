/** Events: the event types, their triggers and the webhooks that receive them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { APP_STORE_ID } from '../../helpers/postbacks.ts';
import { envelopeOf, type Hook, RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { CAUSES, newWebhook } from '../../helpers/webhooks.ts';
import { freshAddress, IPHONE_FINGERPRINT, useWorld } from '../../helpers/world.ts';

/** The events that each action triggers, in order. */
const FIRES = [
  ['install.attributed', 'An install is matched to a click', ['install.attributed']],
  ['install.organic', 'An install is recorded with no matching click', ['install.organic']],
  ['open.attributed', 'A deferred deep-link open is matched to a click', ['open.attributed']],
  ['open.direct', 'A link opened the app itself', ['install.organic', 'open.direct']],
  ['event.recorded', 'A post-install event is recorded', ['install.organic', 'event.recorded']],
] as const;

for (const engine of engines)
  describe(`events, types, on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();
    const typesAt = (hook: Hook) => hook.received.map((delivery) => envelopeOf(delivery).event).sort();

    /** An app with a webhook for all events; the final test event proves that no other message is pending. */
    async function listening(fields: Record<string, unknown> = {}, events: string[] = []) {
      const app = await world.newApp(fields);
      const hook = receiver.newHook();
      const { id } = await newWebhook(world, app, { url: hook.url, events });
      return { app, hook, id };
    }

    for (const [event, when, fired] of FIRES)
      it(`${event} fires when: ${when}`, async () => {
        const { app, hook } = await listening();
        await CAUSES[event](world, app);
        await hook.arrived(fired.length);
        assert.deepEqual(typesAt(hook), [...fired].sort());
      });

    it('skan.postback_received fires when: An iOS ad-network postback is received', async () => {
      const { app, hook } = await listening({ iosAppStoreId: APP_STORE_ID });
      await CAUSES['skan.postback_received'](world, app);
      await hook.arrived();
      assert.deepEqual(typesAt(hook), ['skan.postback_received']);
    });

    it('test.webhook fires when: The test endpoint is called', async () => {
      const { app, hook, id } = await listening();
      await world.call('POST', `/v1/webhooks/${id}/test`, { key: app.keys.live });
      assert.deepEqual(typesAt(hook), ['test.webhook']);
    });

    it('an open without a match fires no event', async () => {
      const { app, hook } = await listening();
      const call = {
        key: app.keys.live_publishable,
        from: freshAddress(),
        body: { fingerprint: IPHONE_FINGERPRINT },
      };
      assert.equal((await world.call('POST', '/v1/sdk/open', call)).body.method, 'ORGANIC');
      await CAUSES['install.organic'](world, app);
      await hook.arrived();
      assert.deepEqual(typesAt(hook), ['install.organic']);
    });

    it('a retry with the same client ID fires no event', async () => {
      const { app, hook } = await listening();
      const installId = randomUUID();
      const event = { installId, eventName: 'purchase', eventId: randomUUID() };
      for (const _time of [1, 2]) {
        await world.install(app, { installId });
        await world.call('POST', '/v1/sdk/event', { key: app.keys.live_publishable, body: event });
      }
      await CAUSES['install.attributed'](world, app);
      await hook.arrived(3);
      assert.deepEqual(typesAt(hook), ['event.recorded', 'install.attributed', 'install.organic']);
    });

    it('each valid event of a batch fires', async () => {
      const { app, hook } = await listening({}, ['event.recorded']);
      const { installId } = (await world.install(app)).body;
      const events = [
        { installId, eventName: 'one' },
        { installId, eventName: '' },
        { installId, eventName: 'two' },
      ];
      await world.call('POST', '/v1/sdk/events', { key: app.keys.live_publishable, body: { events } });
      const names = (await hook.arrived(2)).map((delivery) => envelopeOf(delivery).data.eventName);
      assert.deepEqual(names.sort(), ['one', 'two']);
    });

    it('a webhook with an empty events array receives all types, another one the listed types', async () => {
      const { app, hook: all } = await listening();
      const some = receiver.newHook();
      await newWebhook(world, app, { url: some.url, events: ['install.attributed', 'event.recorded'] });
      for (const cause of ['install.organic', 'install.attributed', 'event.recorded'] as const)
        await CAUSES[cause](world, app);
      await all.arrived(4);
      await some.arrived(2);
      assert.deepEqual(typesAt(all), [
        'event.recorded',
        'install.attributed',
        'install.organic',
        'install.organic',
      ]);
      assert.deepEqual(typesAt(some), ['event.recorded', 'install.attributed']);
    });

    it('events go to each enabled webhook of the app, and to no other app’s', async () => {
      const { app, hook } = await listening();
      const second = receiver.newHook();
      await newWebhook(world, app, { url: second.url });
      const stranger = await listening();
      await CAUSES['install.organic'](world, app);
      await hook.arrived();
      await second.arrived();
      await CAUSES['install.attributed'](world, stranger.app);
      await stranger.hook.arrived();
      assert.deepEqual(typesAt(stranger.hook), ['install.attributed']);
    });
  });
