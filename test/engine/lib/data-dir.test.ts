import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../../../src/config.ts';
import { openDataDir } from '../../../src/lib/data-dir/index.ts';
import { engines, makePlace } from '../../helpers/engines.ts';
import { World } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`a data directory on ${engine} with an empty secret file, as a crash leaves it`, () => {
    it('gets a new admin token', async (t) => {
      const place = await makePlace(engine);
      t.after(() => place.remove());
      openDataDir(readConfig(place.env)).release();
      const path = join(place.dataDir, 'admin-token');
      writeFileSync(path, '');
      const dataDir = openDataDir(readConfig(place.env));
      dataDir.release();
      assert.equal(readFileSync(path, 'utf8').trim(), dataDir.adminToken);
      assert.notEqual(dataDir.adminToken, '');
    });

    if (engine === 'sqlite')
      it('is rejected without the root secret of its data, and creates no other one', async (t) => {
        const world = new World(engine, {});
        await world.open();
        t.after(() => world.remove());
        const app = await world.newApp();
        await world.close();
        const path = join(world.place.dataDir, 'secret-key');
        const secret = readFileSync(path);
        rmSync(path);
        for (let times = 0; times < 2; times++)
          await assert.rejects(world.open(), {
            name: 'StartError',
            message: /^[^\n]*secret-key is missing[^\n]*Copy it from a backup[^\n]*lost for good[^\n]*$/,
          });
        writeFileSync(path, secret);
        await world.open();
        await world.newLink(app);
      });

    if (engine === 'sqlite')
      it('is rejected if the root secret is empty: stored hashes would not match a new one', async (t) => {
        const place = await makePlace(engine);
        t.after(() => place.remove());
        openDataDir(readConfig(place.env)).release();
        writeFileSync(join(place.dataDir, 'secret-key'), '');
        assert.throws(() => openDataDir(readConfig(place.env)), {
          name: 'StartError',
          message: /^[^\n]*secret-key[^\n]*$/,
        });
      });
  });
