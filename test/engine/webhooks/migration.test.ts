/** Attempts and results of earlier versions. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { findResults } from '../../../src/webhooks/attempts/index.ts';
import { upgradeStore } from '../../helpers/earlier-version.ts';
import { engines } from '../../helpers/engines.ts';

const URL = 'https://hooks.example.com/';

for (const engine of engines)
  describe(`attempts and results of an earlier version on ${engine}`, () => {
    it('are due at the same time, or in flight until 15 s after their start', async (t) => {
      const shared = { app_id: randomUUID(), webhook_id: randomUUID(), message_id: randomUUID() };
      const due = { ...shared, id: randomUUID(), failed_attempts: 2 };
      const inFlight = { ...shared, id: randomUUID(), failed_attempts: 1, webhook_url: URL };
      const nextAttemptAt = '2026-11-24T23:59:59.007Z';
      const startedAt = '2026-12-31T23:59:52.345Z';
      const upgraded = await upgradeStore(t, {
        engine,
        added: '0006_one_delivery_table',
        fill: async (db) => {
          await db
            .insertInto('webhook_deliveries_due')
            .values({ ...due, due_at: nextAttemptAt })
            .execute();
          await db
            .insertInto('webhook_attempts_under_way')
            .values({ ...inFlight, started_at: startedAt })
            .execute();
        },
      });
      const rows = await upgraded.db.selectFrom('webhook_queue').selectAll().orderBy('status').execute();
      for (const former of ['webhook_deliveries_due', 'webhook_attempts_under_way', 'webhook_deliveries'])
        await assert.rejects(sql`select * from ${sql.table(former)}`.execute(upgraded.db));
      const noLease = { lease_until: null, webhook_url: null };
      const since = { deferrals: 0, is_repeat: 0 };
      const lease = { lease_until: '2027-01-01T00:00:07.345Z' };
      assert.deepEqual(rows, [
        { ...due, ...noLease, ...since, status: 0, next_attempt_at: nextAttemptAt },
        { ...inFlight, ...lease, ...since, status: 1, next_attempt_at: startedAt },
      ]);
    });

    it('the last results of a webhook are those of its hours', async (t) => {
      const of = { app_id: randomUUID(), webhook_id: randomUUID(), delivered: 1, failed: 0 };
      const failedAt = '2026-11-24T12:10:00.000Z';
      const succeededAt = '2026-11-25T13:20:00.000Z';
      const upgraded = await upgradeStore(t, {
        engine,
        added: '0023',
        fill: async (db) => {
          for (const [hour, last_success_at, last_failure_at] of [
            ['2026-11-24T12:00:00.000Z', null, failedAt],
            ['2026-11-25T13:00:00.000Z', succeededAt, null],
          ])
            await db
              .insertInto('webhook_hours')
              .values({ ...of, hour, last_success_at, last_failure_at })
              .execute();
        },
      });
      const clock = { nowMs: () => Date.parse('2026-11-25T14:00:00.000Z') };
      const wanted = { appId: of.app_id, webhookIds: [of.webhook_id] };
      const results = await findResults(upgraded.db, { clock }, wanted);
      assert.deepEqual(results.get(of.webhook_id), {
        ...{ delivered: 1, failed: 0 },
        ...{ lastSuccessAt: succeededAt, lastFailureAt: failedAt, failingSince: null },
      });
    });
  });
