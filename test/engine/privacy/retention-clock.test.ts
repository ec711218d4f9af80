/** Retention must not drop records after a jump of the clock. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { migrations } from '../../../migrations/index.ts';
import type { Service } from '../../../src/app.ts';
import { type Migrations, openStore } from '../../../src/db/index.ts';
import { DAY_MS, HOUR_MS, isoTime, MINUTE_MS } from '../../../src/lib/clock.ts';
import { createLog, type Log } from '../../../src/lib/log.ts';
import { dropOld, startRetention } from '../../../src/privacy/retention.ts';
import { confirmClock, createRetentionClock } from '../../../src/privacy/retention-clock.ts';
import { engines, makePlace } from '../../helpers/engines.ts';
import { queryStored } from '../../helpers/stored.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { useWorld } from '../../helpers/world.ts';

type Line = [fields: Record<string, unknown>, message: string];

for (const engine of engines)
  describe(`the clock of retention on ${engine}`, () => {
    const world = useWorld(engine);

    /** A process on the service's database; both clocks are the world's by default. */
    function newProcess(databaseNowMs: () => number = () => world.clock.nowMs()) {
      const said: Line[] = [];
      const say = (...line: Line) => void said.push(line);
      const { service: shared } = world;
      const service: Service = {
        ...shared,
        log: { ...shared.log, info: say, warn: say, error: say } as unknown as Log,
        metrics: new Registry(),
        store: { ...shared.store, databaseNowMs: async () => databaseNowMs() },
      };
      let elapsedMs = 0;
      const clock = createRetentionClock(service, () => elapsedMs);
      const pass = (ms: number) => {
        elapsedMs += ms;
        world.clock.advance(ms);
      };
      return { service, clock, said, pass };
    }

    const newestSeen = async () =>
      (await world.service.db.selectFrom('retention_clock').select('seen_at').executeTakeFirstOrThrow())
        .seen_at;
    const isWaiting = async ({ metrics }: Service) =>
      /^throughline_retention_waiting 1$/m.test(await metrics.metrics());

    it('a clock 400 days ahead drops no record and is reported; after a confirmation records are dropped and logged', async (t) => {
      const { service: other, said } = newProcess();
      const service = { ...other, metrics: new Registry() };
      await confirmClock(service);
      const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      const { shortCode } = await world.newLink(app);
      for (let n = 0; n < 3; n++) await world.tap(shortCode);
      await world.service.clickLog.applied();
      const clicks = async () =>
        (await queryStored(world.place, `select id from clicks where app_id = '${app.id}'`)).length;
      world.clock.advance(400 * DAY_MS);
      said.length = 0;

      t.mock.timers.enable({ apis: ['setTimeout'] });
      const retention = startRetention(service);
      t.mock.timers.tick(MINUTE_MS);
      t.mock.timers.reset();
      const [fields, message] = await waitFor('a warning', async () =>
        said.find(([, text]) => /nothing is dropped/.test(text)),
      );
      await retention.stop();
      assert.match(message, /throughline retention confirm/);
      assert.equal(fields.reason, 'leap');
      assert.equal(await clicks(), 3);
      assert.ok(await isWaiting(service));

      said.length = 0;
      // The store logs dropped partitions.
      t.mock.method(world.service.log, 'info', (...line: Line) => void said.push(line));
      await confirmClock(service);
      await dropOld(service);
      assert.equal(await clicks(), 0);
      const dropped = said.filter(([{ table }]) => table === 'clicks');
      assert.notEqual(dropped.length, 0);
      for (const [line] of dropped) {
        assert.ok(engine === 'sqlite' ? line.rows === 3 : line.partition !== undefined);
        assert.ok(String(line.before) < isoTime(world.clock.nowMs() - 89 * DAY_MS));
      }
    });

    it('a jump is trusted once the clock has run steadily for an hour since the last restart', async () => {
      const { clock, service, said, pass } = newProcess();
      await confirmClock(service);
      assert.notEqual(await clock.trustedMs(), null);
      pass(DAY_MS - MINUTE_MS);
      assert.notEqual(await clock.trustedMs(), null, 'less than a day is not a jump');
      world.clock.advance(60 * DAY_MS);
      said.length = 0;
      for (let minute = 0; minute < 60; minute++) {
        assert.equal(await clock.trustedMs(), null);
        pass(MINUTE_MS);
      }
      assert.equal(said.length, 1, 'one warning an hour');
      const restarted = newProcess();
      assert.equal(await restarted.clock.trustedMs(), null);

      assert.notEqual(await clock.trustedMs(), null);
      assert.ok(!(await isWaiting(service)));
      assert.notEqual(await restarted.clock.trustedMs(), null, 'another process trusts it too');
    });

    it('a second jump restarts the hour', async () => {
      const { clock, service, pass } = newProcess();
      await confirmClock(service);
      world.clock.advance(10 * DAY_MS);
      assert.equal(await clock.trustedMs(), null);
      pass(HOUR_MS - MINUTE_MS);
      world.clock.advance(10 * DAY_MS);
      pass(MINUTE_MS);
      assert.equal(await clock.trustedMs(), null);
      pass(HOUR_MS);
      assert.notEqual(await clock.trustedMs(), null);
    });

    it('a reverted jump has no effect', async () => {
      const { clock, service, pass } = newProcess();
      await confirmClock(service);
      const before = await newestSeen();
      world.clock.advance(400 * DAY_MS);
      assert.equal(await clock.trustedMs(), null);
      assert.equal(await newestSeen(), before);
      world.clock.advance(-400 * DAY_MS);
      pass(MINUTE_MS);
      assert.notEqual(await clock.trustedMs(), null);
    });

    it('after a wrongly trusted jump, the next one is detected an hour after the clock is right again', async () => {
      const { clock, service, pass } = newProcess();
      world.clock.advance(400 * DAY_MS);
      await confirmClock(service);
      world.clock.advance(-400 * DAY_MS);
      assert.equal(await clock.trustedMs(), null);
      pass(HOUR_MS);
      assert.notEqual(await clock.trustedMs(), null);
      world.clock.advance(300 * DAY_MS);
      assert.equal(await clock.trustedMs(), null);
      world.clock.advance(-300 * DAY_MS);
    });

    it('a process whose clock differs from the database’s never drops records, and does not affect other processes', async () => {
      const honest = newProcess();
      await confirmClock(honest.service);
      const before = await newestSeen();
      const databaseMs = world.clock.nowMs();
      const wrong = newProcess(() => databaseMs);
      world.clock.advance(400 * DAY_MS);
      for (let hour = 0; hour < 3; hour++) {
        assert.equal(await wrong.clock.trustedMs(), null);
        wrong.pass(HOUR_MS);
      }
      assert.equal(wrong.said.at(-1)?.[0].reason, 'clocks_differ');
      assert.ok(await isWaiting(wrong.service));
      await assert.rejects(confirmClock(wrong.service), { code: 'retention.clocks_differ' });
      assert.equal(await newestSeen(), before);
      world.clock.advance(databaseMs - world.clock.nowMs());
      assert.notEqual(await honest.clock.trustedMs(), null);
    });

    it('an upgrade uses the last use of a key as the newest time seen, so that a clock that is ahead is detected', async () => {
      const place = await makePlace(engine, { isEmpty: true });
      const open = (known: Migrations) => openStore(place, known, createLog('silent'), () => undefined);
      const before = await open((types) => {
        const { '0001_initial': initial } = migrations(types);
        assert.ok(initial);
        return { '0001_initial': initial };
      });
      await before.migrate();
      const lastUsedAt = isoTime(Date.now() - 400 * DAY_MS);
      await before.db
        .insertInto('api_keys')
        .values({
          app_id: randomUUID(),
          id: randomUUID(),
          kind: 'live',
          hint: '',
          hash: '',
          created_at: isoTime(Date.now() - 500 * DAY_MS),
          last_used_at: lastUsedAt,
          revoked_at: null,
        })
        .execute();
      await before.close();
      const upgraded = await open(migrations);
      await upgraded.migrate();
      const [row] = await upgraded.db.selectFrom('retention_clock').select('seen_at').execute();
      await upgraded.close();
      await place.remove();
      assert.equal(row?.seen_at, lastUsedAt);
    });

    it('the admin API shows the waiting state and ends it', async (t) => {
      const { store } = world.service;
      t.mock.method(store, 'databaseNowMs', async () => world.clock.nowMs());
      await confirmClock(newProcess().service);
      world.clock.advance(30 * DAY_MS);
      const seen = await newestSeen();
      const read = async () => (await world.admin('GET', '/retention')).body;
      const { now, ...state } = await read();
      assert.deepEqual(state, { status: 'waiting', reason: 'leap', newestSeen: seen });
      assert.ok(now > seen);
      const confirmed = await world.admin('POST', '/retention/confirmation');
      assert.equal(confirmed.status, 200, confirmed.text);
      assert.equal(confirmed.body.status, 'running');
      assert.equal((await read()).status, 'running');
      assert.equal((await world.call('POST', '/v1/admin/retention/confirmation')).status, 401);
    });
  });
