import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { publishMany, type WebhookEvent } from '../../../src/webhooks/publish.ts';
import type { Subscription } from '../../../src/webhooks/subscriptions.ts';
import { engines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

const EVENTS = 600;

for (const engine of engines)
  describe(`publishMany on ${engine}`, () => {
    const world = useWorld(engine);

    it('stores each message once and a delivery for each webhook, in several statements', async () => {
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
      const subscribe = (types: string[], template: Subscription['template']): Subscription => ({
        webhookId: service.ids.next(),
        events: types,
        isSandboxOnly: false,
        template,
        templateConfig,
      });
      const subscriptions = [
        subscribe([], null),
        subscribe(['event.recorded'], null),
        subscribe([], 'slack'),
        subscribe(['test.webhook'], null),
      ];
      await service.db.transaction().execute(async (tx) => {
        const published = await publishMany(tx, service, app.id, subscriptions, events);
        const count = async (table: 'webhook_messages' | 'webhook_deliveries') => {
          const query = tx.selectFrom(table).select(({ fn }) => fn.countAll().as('n'));
          return Number((await query.where('app_id', '=', app.id).executeTakeFirstOrThrow()).n);
        };
        assert.equal(new Set(published.map(({ id }) => id)).size, 3 * EVENTS);
        assert.deepEqual(
          [await count('webhook_messages'), await count('webhook_deliveries')],
          [2 * EVENTS, 3 * EVENTS],
        );
      });
    });
  });
