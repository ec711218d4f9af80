import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EnabledWebhook } from '../../../src/webhooks/enabled-webhooks.ts';
import { createOutbox, insertOutbox, type WebhookEvent } from '../../../src/webhooks/publish.ts';
import { engines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

const EVENTS = 600;

for (const engine of engines)
  describe(`publishing on ${engine}`, () => {
    const world = useWorld(engine);

    it('stores each message of many events once, and a delivery for each webhook', async () => {
      const { service } = world;
      const app = await world.newApp();
      const events = Array.from(
        { length: EVENTS },
        (): WebhookEvent => ({
          type: 'event.recorded',
          timestamp: '2026-11-20T17:29:33.158Z',
          isSandbox: false,
          recordId: service.ids.next(),
          data: {},
        }),
      );
      const templateConfig = { mentionText: null, accentColor: null };
      const subscribe = (types: string[], template: EnabledWebhook['template']): EnabledWebhook => ({
        webhookId: service.ids.next(),
        kind: 'webhook',
        events: types,
        eventNames: [],
        isSandboxOnly: false,
        template,
        templateConfig,
      });
      const webhooks = [
        subscribe([], null),
        subscribe(['event.recorded'], null),
        subscribe([], 'slack'),
        subscribe(['test.webhook'], null),
      ];
      const outbox = createOutbox(service, app.id, webhooks, events);
      assert.equal(await service.store.commit(await insertOutbox(service.db, outbox)), null);
      const count = async (table: 'webhook_messages' | 'webhook_queue') => {
        const query = service.db.selectFrom(table).select(({ fn }) => fn.countAll().as('n'));
        return Number((await query.where('app_id', '=', app.id).executeTakeFirstOrThrow()).n);
      };
      assert.equal(new Set(outbox.attempts.map(({ id }) => id)).size, 3 * EVENTS);
      assert.deepEqual(
        [await count('webhook_messages'), await count('webhook_queue')],
        [2 * EVENTS, 3 * EVENTS],
      );
    });
  });
