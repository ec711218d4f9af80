import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pino from 'pino';
import { engines, makePlace } from '../../../test/engines.ts';
import { queryStored } from '../../../test/stored.ts';
import { openCtx } from '../../app.ts';
import { readConfig } from '../../platform/config.ts';
import { takeDataDir } from '../../platform/data-dir.ts';
import { warnOfFewConnections } from './beginning.ts';

interface Warning {
  readonly msg: string;
  readonly needed: number;
  readonly allowed: number;
}

for (const engine of engines)
  describe(`the start of workers on ${engine}`, () => {
    it('warns where they may need more connections than the database allows', async (t) => {
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
      const warn = async (workers: number) => {
        await warnOfFewConnections({ ...ctx, config: { ...config, workers } });
        return warnings.pop();
      };

      assert.equal(await warn(2), undefined);
      if (engine === 'sqlite') assert.equal(await warn(1_000), undefined);
      else {
        const [row] = await queryStored(place, `select current_setting('max_connections')::int as all`);
        const { msg, needed, allowed } = (await warn(1_000)) as Warning;
        assert.match(msg, /max_connections.*WORKERS/);
        assert.equal(needed, 12_000);
        assert.ok(allowed > 0 && allowed < Number(row?.all), `${allowed}`);
      }
    });
  });
