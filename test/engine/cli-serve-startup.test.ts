import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import pino from 'pino';
import { openCtx } from '../../src/app.ts';
import { bootstrap } from '../../src/apps/index.ts';
import { warnOfOtherRegion } from '../../src/cli/serve/startup.ts';
import { REGIONS, type Region, readConfig } from '../../src/config.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { openDataDir } from '../../src/lib/data-dir/index.ts';
import { engines, makePlace } from '../helpers/engines.ts';

interface Warning {
  readonly msg: string;
  readonly [detail: string]: unknown;
}

for (const engine of engines)
  describe(`the start on ${engine}`, () => {
    /** An unserved database and the last warning logged for it. */
    async function open(t: TestContext) {
      const place = await makePlace(engine);
      const config = readConfig(place.env);
      const warnings: Warning[] = [];
      const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line)) });
      const dataDir = openDataDir(config);
      const ctx = await openCtx(config, { log, onDeath: () => undefined }, dataDir);
      t.after(async () => {
        await ctx.store.close();
        dataDir.release();
        await place.remove();
      });
      return { place, ctx, warned: () => warnings.pop() };
    }

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
