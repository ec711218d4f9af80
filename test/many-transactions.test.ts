/** Transactions that come all at once, as after a start: none keeps a connection while it waits for another one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inTransaction } from '../src/platform/ctx.ts';
import { engines } from './engines.ts';
import { queryStored } from './stored.ts';
import { useWorld } from './world.ts';

/** Several times as many as there are connections. */
const TRANSACTIONS = 60;

for (const engine of engines)
  describe(`many transactions at once on ${engine}`, () => {
    const world = useWorld(engine);

    it('are all done, also where each is the first to write to its tables', async () => {
      const { ctx } = world.service;
      const app = await world.newApp();
      const message = () => ({
        app_id: app.id,
        id: ctx.ids.next(),
        event_type: 'test.webhook',
        record_id: ctx.ids.next(),
        sandbox: 0 as const,
        body: '{}',
      });
      await Promise.all(
        Array.from({ length: TRANSACTIONS }, () =>
          inTransaction(ctx, (tx) => tx.store.insertMany(tx.db, 'webhook_messages', [message()])),
        ),
      );
      const [stored] = await queryStored(world.place, 'select count(*) as n from webhook_messages');
      assert.equal(Number(stored?.n), TRANSACTIONS);
    });
  });
