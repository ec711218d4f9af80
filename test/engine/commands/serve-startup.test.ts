import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import pino from 'pino';
import { openFoundation } from '../../../src/app.ts';
import { bootstrap } from '../../../src/apps/index.ts';
import { warnOfOtherRegion } from '../../../src/commands/serve/startup.ts';
import { REGIONS, type Region, readConfig } from '../../../src/config.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { openDataDir } from '../../../src/lib/data-dir/index.ts';
import { engines, makePlace } from '../../helpers/engines.ts';

interface Warning {
  readonly msg: string;
  readonly [detail: string]: unknown;
}

for (const engine of engines)
  describe(`the startup on ${engine}`, () => {
    /** An unserved database and the last warning logged for it. */
    async function open(t: TestContext) {
      const place = await makePlace(engine);
      const config = readConfig(place.env);
      const warnings: Warning[] = [];
      const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line)) });
      const dataDir = openDataDir(config);
      const service = await openFoundation(config, { log, onDeath: () => undefined }, dataDir);
      t.after(async () => {
        await service.store.close();
        dataDir.release();
        await place.remove();
      });
      return { place, service, warned: () => warnings.pop() };
    }

    it('logs a warning if the database has active keys of another region', async (t) => {
      const { service, warned } = await open(t);
      const start = (region: Region) =>
        warnOfOtherRegion({ ...service, config: { ...service.config, region } });
      for (const region of REGIONS) await start(region);
      assert.equal(warned(), undefined);

      assert.notEqual(await bootstrap({ ...service, config: { ...service.config, region: 'eu' } }), null);
      await start('eu');
      assert.equal(warned(), undefined);
      await start('us');
      const { msg, region, other } = warned() as Warning;
      assert.match(msg, /REGION.*database/);
      assert.deepEqual([region, other], ['us', 'eu']);

      await service.db
        .updateTable('api_keys')
        .set({ revoked_at: isoTime(service.clock.nowMs()) })
        .execute();
      await start('us');
      assert.equal(warned(), undefined);
    });
  });
