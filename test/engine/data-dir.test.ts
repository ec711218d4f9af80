import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { openDataDir } from '../../src/lib/data-dir/index.ts';
import { engines, makePlace } from '../helpers/engines.ts';

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
