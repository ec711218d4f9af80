import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { clearLeftovers, findLeftovers } from './unallocated-space.ts';

const ROWS = 12_000;
const MB = 2 ** 20;

describe('clearing the unallocated space of a database', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'unallocated-space-'));
  });
  after(() => rmSync(directory, { recursive: true }));

  for (const autoVacuum of ['none', 'full', 'incremental'])
    it(`leaves it whole with auto_vacuum = ${autoVacuum}`, () => {
      const path = join(directory, `${autoVacuum}.db`);
      makeDatabase(path, autoVacuum);
      assert.notEqual(clearAll(path), 0, 'there was nothing to clear');
      const db = new DatabaseSync(path);
      assert.equal(faultsOf(db), 'ok');
      // What was freed is given back by the pointer maps.
      db.exec('pragma incremental_vacuum');
      assert.equal(faultsOf(db), 'ok');
      db.close();
    });

  it('takes no more memory the more there is to look over', () => {
    const path = join(directory, 'large.db');
    makeDatabase(path, 'none');
    const file = openSync(path, 'r');
    const bytesBefore = process.memoryUsage().arrayBuffers;
    // As often as for a file of 400 MB.
    for (let slices = 0; slices < 100; slices += 1) findLeftovers(file, 0);
    const grown = process.memoryUsage().arrayBuffers - bytesBefore;
    closeSync(file);
    assert.ok(grown < 2 * MB, `${grown} bytes more`);
  });

  /** Rows that come in no order, of which most of one table go: pages behind pointer maps are free then. */
  function makeDatabase(path: string, autoVacuum: string): void {
    const db = new DatabaseSync(path);
    db.exec(`pragma auto_vacuum = ${autoVacuum}; pragma secure_delete = on; pragma synchronous = off;
      create table gone (id integer primary key, text text); create table kept (id integer primary key, text text);
      create index kept_texts on kept (text); begin`);
    const statements = ['gone', 'kept'].map((table) => db.prepare(`insert into ${table} (text) values (?)`));
    for (const insert of statements)
      for (let n = 0; n < ROWS; n += 1) insert.run(String((n * 7_919) % ROWS).padEnd(300, 'x'));
    db.exec(`commit; delete from gone where id > 1`);
    db.close();
  }

  const faultsOf = (db: DatabaseSync) => db.prepare('pragma integrity_check(1)').get()?.integrity_check;

  /** Gives how many pages were cleared. */
  function clearAll(path: string): number {
    const file = openSync(path, 'r+');
    const pages: number[] = [];
    for (let next: number | null = 0; next !== null; ) {
      const found = findLeftovers(file, next);
      pages.push(...found.pages);
      next = found.nextPage;
    }
    clearLeftovers(file, pages);
    closeSync(file);
    return pages.length;
  }
});
