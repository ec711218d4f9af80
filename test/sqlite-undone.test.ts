/** Of some faults, such as a full disk, SQLite undoes a transaction itself: whoever is told hears of the fault. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { sql } from 'kysely';
import { isUnavailable } from '../src/platform/db/index.ts';
import { openSqlite } from '../src/platform/db/sqlite/index.ts';

it('a transaction that SQLite undid, for want of room, ends with that fault, and the next one is done', async (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'sqlite-undone-'));
  const store = await openSqlite(
    join(parent, 'throughline.db'),
    () => ({}),
    (cause) => assert.fail(String(cause)),
  );
  t.after(async () => {
    await store.close();
    rmSync(parent, { recursive: true });
  });
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
