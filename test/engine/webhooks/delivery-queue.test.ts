import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { isShared } from '../../../src/db/index.ts';
import { dropPending, insertDue } from '../../../src/webhooks/delivery/queue.ts';
import { engines } from '../../helpers/engines.ts';
import { planOf } from '../../helpers/statements.ts';
import { useWorld } from '../../helpers/world.ts';

const OTHER_DELIVERIES = 2_000;

for (const engine of engines)
  describe(`pending deliveries on ${engine}`, () => {
    const world = useWorld(engine);

    it('of one webhook are deleted by index, even if the planner’s statistics are from an almost empty table', async () => {
      const app = await world.newApp();
      const { service } = world;
      const [gone, other] = [service.ids.next(), service.ids.next()];
      const due = (webhook_id: string) => ({
        app_id: app.id,
        id: service.ids.next(),
        webhook_id,
        message_id: service.ids.next(),
        status: 0 as const,
        failed_attempts: 0,
        next_attempt_at: '2099-01-01T00:00:00.000Z',
        deferrals: 0,
        is_repeat: 0 as const,
      });
      await insertDue(service.db, [due(gone)]);
      if (isShared(service.db)) await sql`analyze webhook_deliveries`.execute(service.db);
      await insertDue(
        service.db,
        Array.from({ length: OTHER_DELIVERIES }, () => due(other)),
      );
      const plan = await planOf(service.db, (db) => dropPending(db, app.id, gone));
      // A join would read the deliveries of all webhooks.
      assert.match(plan, /Index|SEARCH/);
      assert.doesNotMatch(plan, /Join|Nested Loop|SCAN webhook/);
      const left = service.db
        .selectFrom('webhook_deliveries')
        .select(({ fn }) => fn.countAll().as('n'))
        .where('app_id', '=', app.id);
      assert.equal(Number((await left.executeTakeFirstOrThrow()).n), OTHER_DELIVERIES);
    });

    it('dropping ends when none is left, even while another process drops the same ones', async () => {
      const app = await world.newApp();
      const { db, ids } = world.service;
      const webhookId = ids.next();
      const due = Array.from({ length: 600 }, () => ({
        app_id: app.id,
        id: ids.next(),
        webhook_id: webhookId,
        message_id: ids.next(),
        status: 0 as const,
        failed_attempts: 0,
        next_attempt_at: '2099-01-01T00:00:00.000Z',
        deferrals: 0,
        is_repeat: 0 as const,
      }));
      await insertDue(db, due);
      const dropAll = async () => {
        while (await dropPending(db, app.id, webhookId));
      };
      let other: Promise<void> | undefined;
      await db.transaction().execute(async (tx) => {
        await dropPending(tx, app.id, webhookId);
        other = dropAll();
        await sleep(300);
      });
      await other;
      const left = db
        .selectFrom('webhook_deliveries')
        .select(({ fn }) => fn.countAll().as('n'))
        .where('app_id', '=', app.id)
        .where('webhook_id', '=', webhookId);
      assert.equal(Number((await left.executeTakeFirstOrThrow()).n), 0);
    });
  });
