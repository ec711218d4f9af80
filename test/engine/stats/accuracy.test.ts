/** The counts of accuracy: the sample of a day, several processes, and a database that is busy or away. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { createMeasure, type RecordingDeps } from '../../../src/attribution/index.ts';
import { Random } from '../../../src/commands/traffic/random.ts';
import { recordInstall } from '../../../src/installs/record-install.ts';
import { createAccuracyCounts } from '../../../src/stats/index.ts';
import { engines } from '../../helpers/engines.ts';
import { freshAddress, IPHONE_FINGERPRINT, useWorld } from '../../helpers/world.ts';

const DAY = '2026-11-20';
const RIGHT = { verdict: 'right', percent: 90 } as const;
const COMPARED = { verdict: 'compared', percent: 0 } as const;

for (const engine of engines)
  describe(`counts of accuracy on ${engine}`, () => {
    const world = useWorld(engine);
    const stored = async (appId: string) => {
      const counts = await world.service.db
        .selectFrom('accuracy_counts')
        .select(['verdict', 'installs'])
        .where('app_id', '=', appId)
        .execute();
      return Object.fromEntries(counts.map(({ verdict, installs }) => [verdict, installs]));
    };
    /** A process of the service. */
    const openCounts = (seed: number) => {
      const random = new Random(seed);
      return createAccuracyCounts(world.service, () => random.next());
    };

    it('processes share one sample of a day, which stays within its bound', async () => {
      const { id: appId } = await world.newApp();
      const place = { appId, day: DAY, platform: 'IOS' } as const;
      const random = new Random(3);
      const processes = [openCounts(1), openCounts(2)];
      const rounds = 4;
      for (let round = 0; round < rounds; round++) {
        for (const counts of processes)
          for (let install = 0; install < 750; install++) {
            const draw = random.next();
            if (counts.mayKeep(place, draw)) counts.addToSample(place, RIGHT, draw);
            counts.count(place, COMPARED);
          }
        await Promise.all(processes.map((counts) => counts.save(appId)));
        assert.ok(Number((await stored(appId)).right) <= 2_000);
      }
      await Promise.all(processes.map((counts) => counts.stop()));
      const { halvings } = await world.service.db
        .selectFrom('accuracy_days')
        .select('halvings')
        .where('app_id', '=', appId)
        .executeTakeFirstOrThrow();
      const { right, compared } = await stored(appId);
      assert.deepEqual([halvings, compared], [2, rounds * 2 * 750]);
      // One of four of 6,000.
      assert.ok(Math.abs(Number(right) - 1_500) < 150, `${right}`);
    });

    it('counts that could not be saved are saved later, once', async () => {
      const { db } = world.service;
      const { id: appId } = await world.newApp();
      const counts = openCounts(4);
      const place = { appId, day: DAY, platform: 'ANDROID' } as const;
      counts.addToSample(place, RIGHT, 0.4);
      counts.count(place, COMPARED);
      await sql`alter table accuracy_days rename to accuracy_days_away`.execute(db);
      await assert.rejects(counts.save(appId));
      counts.count(place, COMPARED);
      await sql`alter table accuracy_days_away rename to accuracy_days`.execute(db);
      await counts.save(appId);
      await counts.stop();
      assert.deepEqual(await stored(appId), { right: 1, compared: 2 });
    });

    it('an install that cannot be measured in time is skipped and counted, and delays nothing', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      await world.tap((await world.newLink(app)).shortCode, { from });
      await world.service.clickLog.applied(app.id);
      const { db } = world.service;
      const click = await db
        .selectFrom('clicks')
        .select('id')
        .where('app_id', '=', app.id)
        .executeTakeFirstOrThrow();
      const counts = openCounts(5);
      const metrics = new Registry();
      const noted: Parameters<RecordingDeps['measure']['note']>[0][] = [];
      const { recording } = world.service;
      const actor = { appId: app.id, mode: 'live', publishable: false } as never;
      const call = { fingerprint: { ...IPHONE_FINGERPRINT, ipAddress: from }, clickId: click.id };
      const measure = { note: (install: (typeof noted)[number]) => void noted.push(install) };
      await recordInstall({ ...recording, measure }, { actor, connectionAddress: from, call });
      const [install] = noted;
      assert.ok(install !== undefined);

      const log = world.service.log;
      const away = createMeasure({ db: db.withSchema('away'), log, metrics, accuracyCounts: counts });
      for (let copy = 0; copy < 150; copy++) away.note(install);
      const skipped = async () =>
        Number(
          (await metrics.getSingleMetric('throughline_accuracy_skipped_total')?.get())?.values[0]?.value,
        );
      // One is in progress, and a hundred wait.
      assert.equal(await skipped(), 49);
      await away.stop();
      await counts.stop();
      assert.equal(await skipped(), 150);
      assert.deepEqual(await stored(app.id), { skipped: 150 });
    });
  });
