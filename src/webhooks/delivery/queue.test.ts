import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { engines } from '../../../test/engines.ts';
import { planOf } from '../../../test/statements.ts';
import { useWorld } from '../../../test/world.ts';
import { dropWaiting, insertDue } from './queue.ts';

const WAITING_FOR_OTHERS = 2_000;

for (const engine of engines)
  describe(`what waits to be delivered on ${engine}`, () => {
    const world = useWorld(engine);

    it('is dropped for one webhook without a look at what waits for others, also where it was hardly anything when it was counted', async () => {
      const app = await world.newApp();
      const { ctx } = world.service;
      const [gone, other] = [ctx.ids.next(), ctx.ids.next()];
      const due = (webhook_id: string) => ({
        app_id: app.id,
        id: ctx.ids.next(),
        webhook_id,
        message_id: ctx.ids.next(),
        failed_attempts: 0,
        due_at: '2099-01-01T00:00:00.000Z',
      });
      await insertDue(ctx, [due(gone)]);
      if (ctx.store.isShared) await sql`analyze webhook_deliveries_due`.execute(ctx.db);
      await insertDue(
        ctx,
        Array.from({ length: WAITING_FOR_OTHERS }, () => due(other)),
      );
      const plan = await planOf(ctx.db, (db) => dropWaiting({ ...ctx, db }, app.id, gone));
      // A join has the others on its one side.
      assert.match(plan, /Index|SEARCH/);
      assert.doesNotMatch(plan, /Join|Nested Loop|SCAN webhook/);
      const left = ctx.db
        .selectFrom('webhook_deliveries_due')
        .select(({ fn }) => fn.countAll().as('n'))
        .where('app_id', '=', app.id);
      assert.equal(Number((await left.executeTakeFirstOrThrow()).n), WAITING_FOR_OTHERS);
    });
  });
