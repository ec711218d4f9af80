/** Events: the values of the data fields. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { CAUSES, type CausedEvent, newWebhook } from '../../helpers/webhooks.ts';
import { IPHONE_FINGERPRINT, useWorld } from '../../helpers/world.ts';

const APP_NAME = 'Shoe shop';

for (const engine of neutralEngines)
  describe(`events, data values, on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();

    async function happen(event: CausedEvent) {
      const app = await world.newApp({ name: APP_NAME });
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url, events: [event] });
      return { caused: await CAUSES[event](world, app), data: (await hook.envelope()).data };
    }

    it('data of install.organic describe the install and its device', async () => {
      const { caused, data } = await happen('install.organic');
      const { platform, deviceModel, osVersion, locale } = IPHONE_FINGERPRINT;
      const { installId } = caused;
      assert.deepEqual(data, { installId, platform, appName: APP_NAME, deviceModel, osVersion, locale });
    });

    it('data of install.attributed describe the attribution result and its click', async () => {
      const { caused, data } = await happen('install.attributed');
      const { clickedAt, ...rest } = data;
      assert.ok(Date.parse(String(clickedAt)) <= world.clock.nowMs());
      assert.deepEqual(rest, {
        installId: caused.installId,
        method: 'CLICK_ID',
        campaignId: 'spring',
        platform: 'ANDROID',
        appName: APP_NAME,
        shortCode: caused.shortCode,
        deepLinkPath: '/product/7',
        confidence: null,
        invitedBy: null,
      });
    });

    it('data of install.attributed: confidence is the fingerprint match score', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url });
      await world.tap((await world.newLink(app)).shortCode);
      const { body } = await world.install(app);
      const { method, confidence } = (await hook.envelope()).data;
      assert.deepEqual([method, confidence], ['FINGERPRINT', body.confidence]);
      assert.ok(Number(confidence) > 0 && Number(confidence) <= 1);
    });

    it('data of open.attributed: deepLinkParams is a JSON-encoded string, confidence null for CLICK_ID', async () => {
      const { caused, data } = await happen('open.attributed');
      assert.deepEqual(data, {
        openId: caused.openId,
        method: 'CLICK_ID',
        campaignId: 'spring',
        deepLinkPath: '/product/7',
        appName: APP_NAME,
        shortCode: caused.shortCode,
        deepLinkParams: '{"id":7}',
        confidence: null,
        invitedBy: null,
      });
    });

    it('data of event.recorded: properties is a JSON-encoded string, platform lowercase, userId from identify', async () => {
      const { caused, data } = await happen('event.recorded');
      assert.deepEqual(data, {
        eventId: caused.eventId,
        installId: caused.installId,
        eventName: 'purchase',
        properties: '{"price":9.5,"item":"shoes"}',
        appName: APP_NAME,
        platform: 'ios',
        userId: 'u1',
      });
    });

    it('data of event.recorded: empty properties are "{}", and userId is null for an unknown user', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url, events: ['event.recorded'] });
      const { installId } = (await world.install(app)).body;
      await world.call('POST', '/v1/sdk/event', {
        key: app.keys.live,
        body: { installId, eventName: 'x' },
      });
      const { properties, userId } = (await hook.envelope()).data;
      assert.deepEqual([properties, userId], ['{}', null]);
    });
  });
