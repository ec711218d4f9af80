/** Faults of the SQLite file are reported and do not affect later requests. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { isUnavailable } from '../../../src/db/index.ts';
import { openSqlite } from '../../../src/db/sqlite/index.ts';
import { createLog } from '../../../src/lib/log.ts';

/** A store without the service's tables. */
async function open(t: TestContext) {
  const place = mkdtempSync(join(tmpdir(), 'sqlite-faults-'));
  const path = join(place, 'throughline.db');
  const store = await openSqlite(path, () => ({}), createLog('fatal'), {
    onDeath: (cause) => assert.fail(String(cause)),
    observe: () => undefined,
  });
  t.after(async () => {
    await store.close();
    rmSync(place, { recursive: true });
  });
  return { store };
}

it('a transaction rolled back on a full disk fails with that error, and the next one succeeds', async (t) => {
  const { store } = await open(t);
  await sql`create table notes (note text)`.execute(store.db);
  await sql`pragma cache_size = 1`.execute(store.db);
  await sql`pragma max_page_count = 20`.execute(store.db);
  const tooMuch = store.db.transaction().execute(async (tx) => {
    for (let n = 0; n < 100; n++) await sql`insert into notes values (${'x'.repeat(4_000)})`.execute(tx);
  });
  await assert.rejects(tooMuch, (error) => {
    assert.match(String(error), /database or disk is full/);
    return isUnavailable(error);
  });
  await store.db.transaction().execute(async (tx) => await sql`insert into notes values ('a')`.execute(tx));
});
