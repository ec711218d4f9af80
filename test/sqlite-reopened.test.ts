/** Scrubbing SQLite's file opens it anew. Where that fails, nothing is stored for as long as it does, and no longer. */
import assert from 'node:assert/strict';
import { closeSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { sql } from 'kysely';
import { openSqlite } from '../src/platform/db/sqlite/index.ts';

it('SQLite stores again after its file could not be opened for a while', async (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'sqlite-reopened-'));
  const [place, away] = [join(parent, 'data'), join(parent, 'away')];
  mkdirSync(place);
  makeLeftovers(join(place, 'throughline.db'));
  const store = await openSqlite(
    join(place, 'throughline.db'),
    () => ({}),
    (cause) => assert.fail(String(cause)),
  );
  t.after(async () => {
    await store.close();
    rmSync(parent, { recursive: true });
  });
  const scrubbed = store.scrubFiles(async () => renameSync(place, away));
  await assert.rejects(scrubbed, /unable to open database file/);
  const add = sql`insert into notes values (1)`;
  await assert.rejects(add.execute(store.db), /unable to open database file/);
  renameSync(away, place);
  await add.execute(store.db);
});

/** In the unallocated space of an empty table. */
function makeLeftovers(path: string): void {
  const db = new DatabaseSync(path);
  db.exec('pragma page_size = 4096; create table notes (note integer)');
  db.close();
  const file = openSync(path, 'r+');
  writeSync(file, 'left over', 4_096 + 100);
  closeSync(file);
}
