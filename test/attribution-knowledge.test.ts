/** What the matching learns from, and what it does not: an app's newest live installs, so many from each address. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { createKnowledgeBase } from '../src/attribution/index.ts';
import { listLessons } from '../src/attribution/queries.ts';
import { isoTime } from '../src/platform/clock.ts';
import type { InstallsTable } from '../src/platform/db/index.ts';
import { engines } from './engines.ts';
import { freshAddress, type TestApp, useWorld } from './world.ts';

const MODEL = 'pixel 8';
const FINGERPRINT = { platform: 'ANDROID', osVersion: '15', deviceModel: MODEL, locale: 'en_US' };

for (const engine of engines)
  describe(`what the matching learns from on ${engine}`, () => {
    const world = useWorld(engine);

    /** Of the app's Android phones, the share that is of the model, as a service knows it that starts now. */
    async function shareOf(app: TestApp, model = MODEL): Promise<number> {
      const { population } = await createKnowledgeBase(world.service.ctx).of(app.id);
      return population.share('ANDROID', 'model', model);
    }

    async function install(app: TestApp, key = app.keys.live_publishable, body = {}): Promise<InstallsTable> {
      const made = await world.install(
        app,
        { fingerprint: FINGERPRINT, ...body },
        { key, from: freshAddress() },
      );
      assert.equal(made.status, 200, made.text);
      const { db } = world.service.ctx;
      return await db
        .selectFrom('installs')
        .selectAll()
        .where('app_id', '=', app.id)
        .where('id', '=', made.body.installId)
        .executeTakeFirstOrThrow();
    }

    /** Stores an install many times, as if it had come again and again. */
    async function repeat(
      row: InstallsTable,
      times: number,
      change: (place: number) => object,
    ): Promise<void> {
      const rows = Array.from({ length: times }, (_, place) => ({
        ...row,
        id: randomUUID(),
        ...change(place),
      }));
      for (let start = 0; start < rows.length; start += 100)
        await world.service.ctx.db
          .insertInto('installs')
          .values(rows.slice(start, start + 100))
          .execute();
    }

    const address = (place: number) => ({ ip_hash: `address ${place}` });
    const later = () => ({ installed_at: isoTime(world.clock.nowMs() + 1_000) });

    it('installs with a test key, and debug builds, teach nothing', async () => {
      const app = await world.newApp();
      const unknown = await shareOf(app);
      await repeat(await install(app, app.keys.test_publishable), 50, address);
      await repeat(await install(app, app.keys.live, { debugBuild: true }), 50, address);
      assert.equal(await shareOf(app), unknown);
      await repeat(await install(app), 50, address);
      assert.ok((await shareOf(app)) > 0.5);
    });

    it('thousands of installs from one address, or of test traffic, do not displace what others taught', async () => {
      const app = await world.newApp();
      const row = await install(app);
      await repeat(row, 50, address);
      const before = await shareOf(app);
      await repeat(row, 2_500, () => ({ ip_hash: 'flood', device_model: 'Fake', ...later() }));
      await repeat(row, 2_500, (place) => ({ sandbox: 1, ...address(-place), ...later() }));
      assert.ok(Math.abs((await shareOf(app)) - before) < 0.03);
    });

    it('others get their turn after every 25 installs, and no long answer is read', async () => {
      const app = await world.newApp();
      const row = await install(app);
      await repeat(row, 2_000, address);
      let turns = 0;
      let isDone = false;
      const count = (): void => {
        turns += 1;
        if (!isDone) setImmediate(count);
      };
      setImmediate(count);
      assert.ok((await shareOf(app)) > 0.9);
      isDone = true;
      assert.ok(turns >= 2_000 / 25, `${turns} turns`);
      const [lesson = {}] = await listLessons(world.service.ctx.db, app.id, [row.id]);
      assert.equal('answer' in lesson, false);
    });

    it('the newest two thousand are learnt from, also where many came in one moment', async () => {
      const app = await world.newApp();
      const row = await install(app);
      await repeat(row, 2_000, address);
      await repeat(row, 2_000, (place) => ({ ...address(-place), device_model: 'newer', ...later() }));
      assert.ok((await shareOf(app)) < 0.01);
      assert.ok((await shareOf(app, 'newer')) > 0.95);
    });
  });
