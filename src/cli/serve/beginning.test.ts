import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import pino from 'pino';
import { engines, makePlace } from '../../../test/engines.ts';
import { queryStored } from '../../../test/stored.ts';
import { openCtx } from '../../app.ts';
import { bootstrap } from '../../apps/index.ts';
import { isoTime } from '../../platform/clock.ts';
import { REGIONS, type Region, readConfig } from '../../platform/config.ts';
import { takeDataDir } from '../../platform/data-dir/index.ts';
import { warnOfFewConnections, warnOfOtherRegion } from './beginning.ts';

interface Warning {
  readonly msg: string;
  readonly [detail: string]: unknown;
}

for (const engine of engines)
  describe(`the start on ${engine}`, () => {
    /** A database that nobody serves from, and what was warned of there last. */
    async function open(t: TestContext) {
      const place = await makePlace(engine);
      const config = readConfig(place.env);
      const warnings: Warning[] = [];
      const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line)) });
      const dataDir = takeDataDir(config);
      const ctx = await openCtx(config, { log, onDeath: () => undefined }, dataDir);
      t.after(async () => {
        await ctx.store.close();
        dataDir.release();
        await place.remove();
      });
      return { place, ctx, warned: () => warnings.pop() };
    }

    it('warns where workers may need more connections than the database allows', async (t) => {
      const { place, ctx, warned } = await open(t);
      const start = (workers: number) => warnOfFewConnections({ ...ctx, config: { ...ctx.config, workers } });
      await start(2);
      assert.equal(warned(), undefined);

      await start(1_000);
      if (engine === 'sqlite') return assert.equal(warned(), undefined);
      const [row] = await queryStored(place, `select current_setting('max_connections')::int as all`);
      const { msg, needed, allowed } = warned() as Warning;
      assert.match(msg, /max_connections.*WORKERS/);
      assert.equal(needed, 12_000);
      assert.ok(Number(allowed) > 0 && Number(allowed) < Number(row?.all), `${allowed}`);
    });

    it('warns where the database has keys of the other region that are in use', async (t) => {
      const { ctx, warned } = await open(t);
      const start = (region: Region) => warnOfOtherRegion({ ...ctx, config: { ...ctx.config, region } });
      for (const region of REGIONS) await start(region);
      assert.equal(warned(), undefined);

      assert.notEqual(await bootstrap({ ...ctx, config: { ...ctx.config, region: 'eu' } }), null);
      await start('eu');
      assert.equal(warned(), undefined);
      await start('us');
      const { msg, region, other } = warned() as Warning;
      assert.match(msg, /REGION.*database/);
      assert.deepEqual([region, other], ['us', 'eu']);

      await ctx.db
        .updateTable('api_keys')
        .set({ revoked_at: isoTime(ctx.clock.nowMs()) })
        .execute();
      await start('us');
      assert.equal(warned(), undefined);
    });
  });
