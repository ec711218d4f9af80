/** `/readyz` reports ready only if installs can be recorded. */
import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { engines, type Place } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

const DAMAGED = 'The database is damaged. Restore a backup: docs/guide/backup.md.';

describe('readiness on a damaged SQLite file', { skip: !engines.includes('sqlite') }, () => {
  for (const table of ['installs', 'clicks'])
    describe(`with a damaged page of ${table}`, () => {
      const world = useWorld('sqlite');

      it('ends with the first install that fails, and the response names the remedy', async () => {
        const app = await world.newApp();
        const link = await world.newLink(app, { fallbackUrl: 'https://example.com/' });
        const install = () =>
          world.call('POST', '/v1/sdk/install', {
            key: app.keys.live,
            body: { fingerprint: { platform: 'IOS' } },
          });
        assert.equal((await install()).status, 200);
        await world.close();
        damageFirstPage(world.place, table);
        await world.open();
        assert.equal((await world.call('GET', '/readyz')).status, 200);

        await world.tap(link.shortCode);
        const refused = await install();
        assert.equal(refused.status, 503);
        assert.match(String(refused.headers['retry-after']), /^[1-9]/);
        const { status, body } = await world.call('GET', '/readyz');
        assert.equal(status, 503);
        assert.deepEqual([body.checks.database.ok, body.checks.database.reason], [false, DAMAGED]);
      });
    });
});

/** Requires that no process has the file open. */
function damageFirstPage({ dataDir }: Place, table: string): void {
  const path = join(dataDir, 'throughline.db');
  const db = new DatabaseSync(path);
  const page = db.prepare('select rootpage from sqlite_schema where name = ?').get(table)?.rootpage;
  const size = Number(db.prepare('pragma page_size').get()?.page_size);
  db.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (Number(page) - 1) * size);
  closeSync(file);
}
