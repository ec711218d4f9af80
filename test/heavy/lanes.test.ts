/** An app whose clicks cannot be stored, or are too many, delays itself alone. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { toJournalRow } from '../../src/click-log/click.ts';
import { encodeBatch } from '../../src/click-log/journal/segment.ts';
import type { Store } from '../../src/db/index.ts';
import { citusUrl, workerOf } from '../helpers/citus.ts';
import { type Engine, engines } from '../helpers/engines.ts';
import { changeTriggers } from '../helpers/refuse-inserts.ts';
import { countClicks, newClick, openSecondClickLog } from '../helpers/second-click-log.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { IPHONE_FINGERPRINT, type TestApp, useWorld, type World } from '../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

for (const engine of engines)
  describe(`lanes of clicks on ${engine}`, () => {
    const world = useWorld(engine);

    describe('while the database cannot store the clicks of one app', () => {
      it('others record and read as always, the process is ready, and nothing is lost', async (t) => {
        const [dead, well] = [await world.newApp(), await world.newApp()];
        const [deadLink, link] = [await world.newLink(dead, PLAY), await world.newLink(well, PLAY)];
        const mend = await refuseClicksOf(world, dead.id);
        t.after(mend);
        const deadClicks = [await world.clickId(deadLink.shortCode), await world.clickId(deadLink.shortCode)];

        for (let round = 0; round < 3; round++) {
          const clickId = await world.clickId(link.shortCode);
          const startedMs = performance.now();
          const { status, body } = await world.install(well, { clickId, fingerprint: IPHONE_FINGERPRINT });
          assert.deepEqual([status, body.clickId], [200, clickId]);
          for (const path of ['/v1/clicks', '/v1/stats', '/v1/installs'])
            assert.equal((await read(world, well, path)).status, 200);
          assert.ok(performance.now() - startedMs < 4_000);
        }
        const behind = await read(world, dead, '/v1/clicks');
        assert.deepEqual([behind.status, behind.headers['x-service-error']], [503, 'clicks.behind']);
        const ready = await world.call('GET', '/readyz');
        assert.deepEqual([ready.status, ready.body.checks.clicks.failingApps], [200, 1]);
        const { problems } = (await world.admin('GET', '/health')).body;
        const waiting = problems.find(({ code }: { code: string }) => code === 'clicks.waiting');
        assert.match(waiting.message, new RegExp(dead.id));

        await mend();
        await waitFor('the clicks of the app', async () =>
          (await countClicks(world, dead.id)) === deadClicks.length ? true : undefined,
        );
        const { body } = await read(world, dead, '/v1/stats');
        assert.equal(body.totals.clicks, deadClicks.length);
      });

      it('erasures of other apps complete, and its own wait for its clicks', async (t) => {
        const [dead, well] = [await world.newApp(), await world.newApp()];
        const [deadLink, link] = [await world.newLink(dead, PLAY), await world.newLink(well, PLAY)];
        const mend = await refuseClicksOf(world, dead.id);
        t.after(mend);
        for (const each of [deadLink, link]) await world.clickId(each.shortCode);
        await world.clickId(link.shortCode);
        const erase = async (app: TestApp) => {
          const body = { ipAddress: '198.51.100.1' };
          const answer = await world.call('POST', '/v1/privacy/erase', { key: app.keys.live, body });
          assert.equal(answer.status, 202, answer.text);
          const [requestId] = answer.body.requestIds;
          return async () => (await read(world, app, `/v1/privacy/erase/${requestId}`)).body.status as string;
        };
        const [deadStatus, status] = [await erase(dead), await erase(well)];
        await waitFor('the erasure', async () => ((await status()) === 'completed' ? true : undefined));
        assert.notEqual(await deadStatus(), 'completed');
        await mend();
        await waitFor('the other erasure', async () =>
          (await deadStatus()) === 'completed' ? true : undefined,
        );
        const erased = await world.service.db
          .selectFrom('clicks')
          .select(['user_agent', 'ip_hash'])
          .where('app_id', '=', dead.id)
          .execute();
        assert.deepEqual(erased, [{ user_agent: null, ip_hash: null }]);
      });

      it('its clicks survive a restart of the process, and are stored once', async (t) => {
        const [dead, well] = [await world.newApp(), await world.newApp()];
        const [deadLink, link] = [await world.newLink(dead, PLAY), await world.newLink(well, PLAY)];
        const mend = await refuseClicksOf(world, dead.id);
        t.after(mend);
        await world.clickId(deadLink.shortCode);
        await world.clickId(link.shortCode);
        await waitFor('the lane', async () => (laneFiles(world, dead).length > 0 ? true : undefined));
        await world.clickId(deadLink.shortCode);
        await world.close();
        assert.ok(laneFiles(world, dead).length > 0);
        await world.open();
        assert.equal((await read(world, well, '/v1/clicks')).body.length, 1);
        await world.clickId(deadLink.shortCode);
        await mend();
        await waitFor('the clicks', async () =>
          (await countClicks(world, dead.id)) === 3 ? true : undefined,
        );
        assert.equal((await read(world, dead, '/v1/stats')).body.totals.clicks, 3);
      });
    });

    it('a transaction that hangs for one app lets the calls of others wait at most once, and succeed', {
      skip: engine === 'postgres' ? false : 'has no locks of rows',
    }, async (t) => {
      const [hung, well] = [await world.newApp(), await world.newApp()];
      const [hungLink, link] = [await world.newLink(hung, PLAY), await world.newLink(well, PLAY)];
      const databaseUrl = world.place.databaseUrl ?? '';
      // Locks are of one node.
      const connectionString =
        citusUrl === undefined ? databaseUrl : (await workerOf(databaseUrl, hung.id)).url;
      const holder = new pg.Client({ connectionString });
      await holder.connect();
      t.after(() => holder.end());
      await holder.query('select pg_advisory_lock(4711)');
      await changeTriggers(world.service.db, [
        `create function hang() returns trigger language plpgsql as
         $$ begin perform pg_advisory_xact_lock(4711); return new; end $$`,
        `create trigger hang before insert on clicks for each row when (new.app_id = '${hung.id}')
         execute function hang()`,
      ]);
      await world.clickId(hungLink.shortCode);
      for (let round = 0; round < 3; round++) {
        const clickId = await world.clickId(link.shortCode);
        const startedMs = performance.now();
        const { status, body } = await world.install(well, { clickId, fingerprint: IPHONE_FINGERPRINT });
        assert.deepEqual([status, body.clickId], [200, clickId]);
        if (round > 0) assert.ok(performance.now() - startedMs < 2_000);
      }
      await holder.query('select pg_advisory_unlock(4711)');
      await waitFor('the click', async () => ((await countClicks(world, hung.id)) === 1 ? true : undefined));
      await changeTriggers(world.service.db, ['drop trigger hang on clicks']);
    });

    it('a row that a crash left in the main journal and in a lane is stored and counted once', async () => {
      const app = await world.newApp();
      const click = newClick(world, app.id);
      await world.close();
      const directory = join(world.place.dataDir, 'journal');
      const batch = encodeBatch([toJournalRow(click)]);
      writeFileSync(join(directory, 'clicks-000000000900.journal'), batch);
      writeFileSync(join(directory, `clicks-${app.id}-000000000001.journal`), batch);
      await world.open();
      await world.service.clickLog.applied();
      assert.equal(await countClicks(world, app.id), 1);
      assert.equal((await read(world, app, '/v1/stats')).body.totals.clicks, 1);
    });

    it('a flood of one app delays the clicks of this app alone', async (t) => {
      const [flooded, calm] = [randomUUID(), randomUUID()];
      const { clickLog, journal } = await openSecondClickLog(t, world, { store: slow(world.service.store) });
      const heavy = () => ({ ...newClick(world, flooded), user_agent: 'x'.repeat(1_000) });
      const written = Array.from({ length: 8_000 }, () => clickLog.record(heavy()));
      await Promise.all(written);
      for (let round = 0; round < 5; round++) {
        assert.ok(await clickLog.record(newClick(world, calm)));
        await Promise.all(Array.from({ length: 100 }, () => clickLog.record(heavy())));
        await clickLog.applied(calm);
      }
      assert.equal(await countClicks(world, calm), 5);
      const stored = await countClicks(world, flooded);
      assert.ok(stored < 8_500, `all ${stored} clicks of the flood were stored first`);
      assert.ok(readdirSync(journal).some((name) => name.includes(flooded)));
      await waitFor('the clicks of the flood', async () =>
        (await countClicks(world, flooded)) === 8_500 ? true : undefined,
      );
    });

    it('an app that fills its share of the journal loses its own clicks only, and the process stays ready', async (t) => {
      const [greedy, other] = [randomUUID(), randomUUID()];
      const store = refusing(world.service.store, greedy);
      const { clickLog } = await openSecondClickLog(t, world, { store, maxBytes: 100_000 });
      await clickLog.record(newClick(world, greedy));
      await waitFor('the lane', () => (clickLog.failingApps().length > 0 ? true : undefined));
      const outcomes: boolean[] = [];
      for (let count = 0; count < 400; count++) {
        outcomes.push(await clickLog.record(newClick(world, greedy)));
        if (count % 20 === 0) assert.ok(await clickLog.record(newClick(world, other)), String(count));
      }
      assert.ok(outcomes.includes(false));
      await clickLog.applied(other);
      assert.equal(await countClicks(world, other), 20);
      const { ok, lost, journalBytes } = await clickLog.health();
      assert.deepEqual([ok, lost], [true, outcomes.filter((isOnDisk) => !isOnDisk).length]);
      assert.ok(journalBytes < 100_000, String(journalBytes));
    });

    it('a lane ends when its clicks are stored and new ones keep up', async (t) => {
      const app = randomUUID();
      const state = { isRefusing: true };
      const store = refusing(world.service.store, app, state);
      const { clickLog, journal } = await openSecondClickLog(t, world, { store });
      const lane = () => readdirSync(journal).filter((name) => name.includes(app));
      await clickLog.record(newClick(world, app));
      await waitFor('the lane', async () => (lane().length > 0 ? true : undefined));
      state.isRefusing = false;
      await waitForLong(async () => {
        await clickLog.record(newClick(world, app));
        return lane().length === 0;
      });
      await clickLog.applied(app);
      assert.deepEqual([await clickLog.failingApps(), (await clickLog.health()).failingApps], [[], 0]);
    });
  });

const read = (world: World, app: TestApp, path: string) => world.call('GET', path, { key: app.keys.live });

const laneFiles = (world: World, app: TestApp) =>
  readdirSync(join(world.place.dataDir, 'journal')).filter((name) => name.includes(app.id));

/** The lane is kept for ten seconds. */
async function waitForLong(condition: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 60; round++) {
    if (await condition()) return;
    await sleep(500);
  }
  assert.fail('still not after 30 s');
}

/** The database fails for rows of an app as it does when the node of their shard is away. @returns how to mend it. */
async function refuseClicksOf(world: World, appId: string): Promise<() => Promise<void>> {
  const name = `refuse_${appId.replaceAll('-', '_')}`;
  const statements: Record<Engine, string[]> = {
    // An integer overflow: unlike `raise`, no fault of the data.
    sqlite: [
      `create trigger ${name} before insert on clicks when new.app_id = '${appId}'
       begin select abs(-9223372036854775807 - 1); end`,
    ],
    postgres: [
      `create function ${name}() returns trigger language plpgsql as
       $$ begin raise exception 'could not connect to the node' using errcode = '08006'; end $$`,
      `create trigger ${name} before insert on clicks for each row when (new.app_id = '${appId}')
       execute function ${name}()`,
    ],
  };
  await changeTriggers(world.service.db, statements[world.engine]);
  let isMended = false;
  return async () => {
    if (isMended) return;
    isMended = true;
    const on = world.engine === 'postgres' ? ' on clicks' : '';
    await changeTriggers(world.service.db, [`drop trigger ${name}${on}`]);
  };
}

/** A database that takes 20 ms for 100 KB. */
function slow(store: Store): Store {
  return {
    ...store,
    async insertRowTexts(into, texts) {
      await sleep(texts.reduce((sum, text) => sum + text.length, 0) / 5_000);
      await store.insertRowTexts(into, texts);
    },
  };
}

/** Fails for rows of an app. */
function refusing(store: Store, appId: string, state = { isRefusing: true }): Store {
  return {
    ...store,
    async insertRowTexts(into, texts) {
      if (state.isRefusing && texts.some((text) => Buffer.from(text).includes(appId)))
        throw new Error('could not connect to the node');
      await store.insertRowTexts(into, texts);
    },
  };
}
