/** Events: the data fields of each event. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { once } from '../../helpers/once.ts';
import { assertField, type FieldRow } from '../../helpers/shapes.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { CAUSES, newWebhook } from '../../helpers/webhooks.ts';
import { useWorld } from '../../helpers/world.ts';

const APP_NAME = 'Shoe shop';

const ROWS = {
  'install.organic': [
    ['installId', 'uuid'],
    ['platform', 'string'],
    ['appName', 'string'],
    ['deviceModel', 'string or null'],
    ['osVersion', 'string or null'],
    ['locale', 'string or null'],
  ],
  'install.attributed': [
    ['installId', 'uuid'],
    ['method', 'string'],
    ['campaignId', 'string or null'],
    ['platform', 'string'],
    ['appName', 'string'],
    ['shortCode', 'string or null'],
    ['deepLinkPath', 'string or null'],
    ['confidence', 'string or null'],
    ['clickedAt', 'timestamp or null'],
    ['invitedBy', 'uuid or null'],
  ],
  'open.attributed': [
    ['openId', 'uuid'],
    ['method', 'string'],
    ['campaignId', 'string or null'],
    ['deepLinkPath', 'string or null'],
    ['appName', 'string'],
    ['shortCode', 'string or null'],
    ['deepLinkParams', 'string or null'],
    ['confidence', 'string or null'],
    ['invitedBy', 'uuid or null'],
  ],
  'open.direct': [
    ['openId', 'uuid'],
    ['installId', 'uuid or null'],
    ['shortCode', 'string'],
    ['campaignId', 'string or null'],
    ['deepLinkPath', 'string'],
    ['deepLinkParams', 'string or null'],
    ['appName', 'string'],
    ['platform', 'string'],
    ['invitedBy', 'uuid or null'],
  ],
  'event.recorded': [
    ['eventId', 'uuid'],
    ['installId', 'uuid'],
    ['eventName', 'string'],
    ['properties', 'string'],
    ['appName', 'string'],
    ['platform', 'string'],
    ['userId', 'string or null'],
  ],
} as const satisfies Record<string, readonly FieldRow[]>;
type EventWithRows = keyof typeof ROWS;

const TEST_ROWS: readonly FieldRow[] = [
  ['message', 'string'],
  ['appId', 'uuid'],
  ['webhookId', 'uuid'],
  ['appName', 'string'],
];

for (const engine of neutralEngines)
  describe(`events, data fields, on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();

    const happen = (event: EventWithRows) =>
      once(async () => {
        const app = await world.newApp({ name: APP_NAME });
        const hook = receiver.newHook();
        await newWebhook(world, app, { url: hook.url, events: [event] });
        const caused = await CAUSES[event](world, app);
        return { caused, data: (await hook.envelope()).data };
      });
    const happened = {
      'install.organic': happen('install.organic'),
      'install.attributed': happen('install.attributed'),
      'open.attributed': happen('open.attributed'),
      'open.direct': happen('open.direct'),
      'event.recorded': happen('event.recorded'),
    };

    for (const [event, rows] of Object.entries(ROWS) as [EventWithRows, readonly FieldRow[]][])
      for (const row of rows)
        it(`data field of ${event}: ${row.join(', ')}`, async () => {
          assertField((await happened[event]()).data, row);
        });

    const tested = once(async () => {
      const app = await world.newApp({ name: APP_NAME });
      const hook = receiver.newHook();
      const { id } = await newWebhook(world, app, { url: hook.url });
      await world.call('POST', `/v1/webhooks/${id}/test`, { key: app.keys.live });
      return { app, id, data: (await hook.envelope()).data };
    });

    for (const row of TEST_ROWS)
      it(`data field of test.webhook: ${row.join(', ')}`, async () => {
        const { app, id, data } = await tested();
        assertField(data, row);
        assert.deepEqual([data.appId, data.webhookId, data.appName], [app.id, id, APP_NAME]);
      });
  });
