/** The state of the service for its operators. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { isoTime } from '../../../src/lib/clock.ts';
import { VERSION } from '../../../src/lib/version.ts';
import { callAs, newUser } from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

for (const engine of engines)
  describe(`the health of the service on ${engine}`, () => {
    const world = useWorld(engine);
    let app: TestApp;
    before(async () => {
      app = await world.newApp();
    });
    const read = async () => {
      const { status, body, text } = await world.admin('GET', '/health');
      assert.equal(status, 200, text);
      return body;
    };

    it('has the versions, the sizes of the data and the space of the disk, and no problem', async () => {
      await world.tap((await world.newLink(app, { fallbackUrl: 'https://example.com/' })).shortCode);
      const { version, startedAt, checkedAt, problems, database, journal, disk, retention } = await read();
      assert.equal(version, VERSION);
      assert.ok(Date.parse(startedAt) <= Date.parse(checkedAt));
      assert.deepEqual(problems, []);
      assert.deepEqual([database.engine, database.status], [engine, 'ok']);
      assert.match(database.version, engine === 'sqlite' ? /^3\./ : /^1\d/);
      assert.ok(database.bytes > 100_000, `${database.bytes} bytes of the database`);
      assert.ok(journal.bytes > 0);
      assert.ok(disk.freeBytes > disk.reservedBytes && disk.reservedBytes >= 64 * 1024 ** 2);
      assert.ok(disk.dataBytes >= journal.bytes + (engine === 'sqlite' ? database.bytes / 2 : 0));
      assert.deepEqual(retention, { clocksDiffer: false });
    });

    it('is open to an operator’s session', async () => {
      const operator = await newUser(world, { isOperator: true });
      const { status, body } = await callAs(world, operator, 'GET', '/v1/admin/health');
      assert.deepEqual([status, body.version], [200, VERSION]);
    });

    it('counts deliveries that wait, and those that were abandoned today', async () => {
      const { db, ids } = world.service;
      const nowMs = world.clock.nowMs();
      const empty = (await read()).queues;
      assert.deepEqual(empty, {
        ...{ deliveriesWaiting: 0, oldestDeliveryMs: null, deliveriesAbandonedToday: 0 },
        ...{ pendingCounts: empty.pendingCounts, erasuresRunning: 0 },
      });
      const delivery = {
        app_id: app.id,
        webhook_id: randomUUID(),
        message_id: ids.next(),
        failed_attempts: 0,
      };
      const waiting = (dueInMs: number) => ({
        ...{ ...delivery, id: ids.next(), status: 0 as const },
        next_attempt_at: isoTime(nowMs + dueInMs),
      });
      await db
        .insertInto('webhook_deliveries')
        .values([waiting(HOUR_MS), waiting(2 * HOUR_MS)])
        .execute();
      const entry = { app_id: app.id, details: '{}', sandbox: 0 as const, created_at: isoTime(nowMs) };
      const yesterday = `${randomUUID().replace(/^.{8}-.{4}-4/, '01900000-0000-7')}`;
      await db
        .insertInto('audit_log')
        .values([
          { ...entry, id: ids.next(), action: 'webhook.delivery_failed' },
          { ...entry, id: ids.next(), action: 'webhook.deleted' },
          { ...entry, id: yesterday, action: 'webhook.delivery_failed' },
        ])
        .execute();
      const { queues } = await read();
      assert.deepEqual(
        [queues.deliveriesWaiting, queues.oldestDeliveryMs, queues.deliveriesAbandonedToday],
        [2, null, 1],
      );
    });

    it('says that retention waits while the clock is in doubt', async () => {
      world.clock.advance(2 * DAY_MS);
      const { problems, retention } = await read();
      const isShared = engine === 'postgres';
      assert.deepEqual(retention, { clocksDiffer: isShared });
      assert.deepEqual(
        problems.map(({ code }: { code: string }) => code),
        [isShared ? 'retention.clocks_differ' : 'retention.leap'],
      );
    });
  });
