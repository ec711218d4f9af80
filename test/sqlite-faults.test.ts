/** What fails at SQLite's file is told as it is, and costs nothing that comes after it. */
import assert from 'node:assert/strict';
import { closeSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { isUnavailable } from '../src/platform/db/index.ts';
import { openSqlite } from '../src/platform/db/sqlite/index.ts';
import { createLog } from '../src/platform/log.ts';

/** A store without the service's tables, in a folder that may be moved away. */
async function open(t: TestContext, prepare: (path: string) => void = () => undefined) {
  const parent = mkdtempSync(join(tmpdir(), 'sqlite-faults-'));
  const place = join(parent, 'data');
  mkdirSync(place);
  const path = join(place, 'throughline.db');
  prepare(path);
  const store = await openSqlite(
    path,
    () => ({}),
    createLog('fatal'),
    (cause) => assert.fail(String(cause)),
  );
  t.after(async () => {
    await store.close();
    rmSync(parent, { recursive: true });
  });
  return { store, place, away: join(parent, 'away') };
}

it('a scrub opens the file anew: where that fails nothing is stored, for as long as it fails and no longer', async (t) => {
  const { store, place, away } = await open(t, makeLeftovers);
  const scrubbed = store.scrubFiles(async () => renameSync(place, away));
  await assert.rejects(scrubbed, /unable to open database file/);
  const add = sql`insert into notes values (1)`;
  await assert.rejects(add.execute(store.db), /unable to open database file/);
  renameSync(away, place);
  await add.execute(store.db);
});

it('a transaction that SQLite undid, for want of room, ends with that fault, and the next one is done', async (t) => {
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

/** In the unallocated space of an empty table. */
function makeLeftovers(path: string): void {
  const db = new DatabaseSync(path);
  db.exec('pragma page_size = 4096; create table notes (note integer)');
  db.close();
  const file = openSync(path, 'r+');
  writeSync(file, 'left over', 4_096 + 100);
  closeSync(file);
}
