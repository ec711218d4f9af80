/** A delivery in flight belongs to the process that leased it, until the lease is over. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isoTime, SECOND_MS } from '../../../src/lib/clock.ts';
import {
  claimDueRows,
  dropOldPending,
  dropPending,
  insertDue,
  LEASE_MS,
  toDue,
} from '../../../src/webhooks/delivery/queue.ts';
import { recordAbandoned, recordFinished } from '../../../src/webhooks/delivery/record-finished.ts';
import type { AttemptResult } from '../../../src/webhooks/delivery/send.ts';
import { engines } from '../../helpers/engines.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { useWorld } from '../../helpers/world.ts';

/** The service's own dispatcher leaves deliveries of this time alone. */
const START_MS = Date.UTC(2_099, 0);
/** A statement that waits for a row has begun by then. */
const BEGUN_AFTER_MS = 300;
const URL = 'https://hooks.example.com/';
const DELIVERED: AttemptResult = {
  success: true,
  isInterrupted: false,
  httpStatus: 200,
  responseBody: 'ok',
  errorMessage: null,
  pauseMs: null,
  durationMs: 20_000,
};

for (const engine of engines)
  describe(`leases of deliveries on ${engine}`, () => {
    const world = useWorld(engine);

    async function scene() {
      const { db, ids } = world.service;
      let nowMs = START_MS;
      const clock = { nowMs: () => nowMs };
      const app = await world.newApp();
      const { id } = await newWebhook(world, app, { url: URL });
      const webhook = await db
        .selectFrom('webhooks')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const message = {
        app_id: app.id,
        id: ids.next(),
        event_type: 'event.recorded',
        sandbox: 0 as const,
        record_id: ids.next(),
        body: '{}',
      };
      await db.insertInto('webhook_messages').values(message).execute();
      const delivery = { app_id: app.id, webhook_id: id, message_id: message.id, failed_attempts: 1 };
      const insert = () => insertDue(db, [toDue({ clock, ids }, delivery)]);
      await insert();
      const claim = () =>
        db
          .transaction()
          .execute((tx) => claimDueRows(tx, { clock }, webhook, { limit: 10, unlessHeld: null }));
      const [leased, ...others] = await claim();
      assert.ok(leased);
      assert.deepEqual(others, []);
      const attempt = { id: ids.next(), delivery: leased, message };
      const record = () =>
        db
          .transaction()
          .execute((tx) => recordFinished(tx, { clock, ids }, [{ attempt, result: DELIVERED }]));
      return {
        ...{ db, clock, app, id, webhook, message, insert, claim, record, attempt },
        recover: () => recordAbandoned({ db, clock, ids }, nowMs),
        pass: (ms: number) => {
          nowMs += ms;
        },
        stored: () => db.selectFrom('webhook_deliveries').selectAll().where('webhook_id', '=', id).execute(),
        logged: () => db.selectFrom('webhook_attempts').selectAll().where('webhook_id', '=', id).execute(),
      };
    }

    it('an attempt that outlasts its lease is logged once, as interrupted, and its delivery is claimed by one process', async () => {
      const { attempt, message, pass, recover, record, claim, stored, logged } = await scene();
      pass(LEASE_MS + SECOND_MS);
      await recover();
      const [interrupted, ...others] = await logged();
      assert.deepEqual(others, []);
      assert.match(interrupted?.error_message ?? '', /interrupted/);
      assert.deepEqual(
        { ...interrupted, id: '', error_message: '' },
        {
          ...{
            app_id: message.app_id,
            id: '',
            webhook_id: attempt.delivery.webhook_id,
            message_id: message.id,
          },
          ...{
            event_type: 'event.recorded',
            sandbox: 0,
            webhook_url: URL,
            http_status: 0,
            response_body: '',
          },
          ...{
            error_message: '',
            attempt_number: 2,
            success: 0,
            duration_ms: 0,
            started_at: isoTime(START_MS),
          },
        },
      );
      const [again, ...more] = await claim();
      assert.deepEqual(more, []);
      assert.deepEqual([again?.message_id, again?.failed_attempts], [message.id, 1]);

      await record();
      assert.deepEqual(await logged(), [interrupted]);
      assert.deepEqual(await stored(), [again]);
      assert.deepEqual(await claim(), []);
    });

    it('a delivery stays in flight until its lease is over, and its attempt is logged', async () => {
      const { attempt, pass, recover, record, stored, logged } = await scene();
      pass(LEASE_MS - SECOND_MS);
      await recover();
      assert.deepEqual(await stored(), [attempt.delivery]);
      await record();
      assert.deepEqual(await stored(), []);
      const [row] = await logged();
      assert.deepEqual(
        [row?.id, row?.success, row?.started_at],
        [attempt.id, 1, attempt.delivery.next_attempt_at],
      );
    });

    it('a delivery in flight is dropped neither with its webhook nor by its age', async () => {
      const { db, app, id, attempt, stored } = await scene();
      await db.updateTable('webhooks').set({ enabled: 0 }).where('id', '=', id).execute();
      assert.equal(await dropPending(db, app.id, id), false);
      assert.equal(await dropOldPending(db, app.id, { beforeMs: START_MS, limit: 10 }), 0);
      assert.deepEqual(await stored(), [attempt.delivery]);
    });

    it('a delivery that is claimed while pending ones are dropped stays in flight', async () => {
      const { db, clock, app, id, webhook, insert, record, stored } = await scene();
      await record();
      await insert();
      await db.updateTable('webhooks').set({ enabled: 0 }).where('id', '=', id).execute();
      let dropping: Promise<boolean> | undefined;
      const claimed = await db.transaction().execute(async (tx) => {
        const rows = await claimDueRows(tx, { clock }, webhook, { limit: 10, unlessHeld: null });
        dropping = dropPending(db, app.id, id);
        await sleep(BEGUN_AFTER_MS);
        return rows;
      });
      await dropping;
      assert.equal(claimed.length, 1);
      assert.deepEqual(await stored(), claimed);
    });
  });
