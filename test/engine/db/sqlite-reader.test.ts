/** The thread that executes SQLite reads. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { FailingStatements } from '../../../src/db/sqlite/failing-statements.ts';
import { openReader } from '../../../src/db/sqlite/reader.ts';
import { useWorld } from '../../helpers/world.ts';

function newFile(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'throughline-reader-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'test.db');
  const db = new DatabaseSync(path);
  db.exec('pragma journal_mode = wal; create table numbers (n integer); insert into numbers values (1)');
  db.close();
  return path;
}

describe('the reader thread of SQLite', () => {
  const world = useWorld('sqlite');

  it('reads every row whose transaction was committed before the read was called', async () => {
    const { db } = world.service;
    const read = async (name: string) =>
      await db.selectFrom('leases').select('holder').where('name', '=', name).executeTakeFirst();
    for (let round = 0; round < 200; round++) {
      const name = `round ${round}`;
      const lease = { name, holder: name, held_until: '2026-01-01T00:00:00.000Z' };
      await db.transaction().execute((tx) => tx.insertInto('leases').values(lease).execute());
      assert.equal((await read(name))?.holder, name);
      await db.updateTable('leases').set({ holder: 'another' }).where('name', '=', name).execute();
      assert.equal((await read(name))?.holder, 'another');
    }
  });

  it('reads while a transaction is open', async () => {
    const { db } = world.service;
    const lease = { name: 'open', holder: 'one', held_until: '2026-01-01T00:00:00.000Z' };
    await db.transaction().execute(async (tx) => {
      await tx.insertInto('leases').values(lease).execute();
      // With Kysely's own driver, this query and the transaction would wait for each other.
      assert.deepEqual(await db.selectFrom('leases').selectAll().where('name', '=', 'open').execute(), []);
    });
  });

  it('rejects a failed statement for its caller only, and runs the next one', async (t) => {
    const reader = await openReader(newFile(t), new FailingStatements(), (cause) => {
      throw cause;
    });
    await assert.rejects(reader.all('select * from missing', []), /no such table: missing/);
    await assert.rejects(reader.all('insert into numbers values (2)', []), /readonly/);
    assert.deepEqual(await reader.all('select n from numbers', []), [{ n: 1 }]);
    await reader.close();
  });

  it('reports its exit once, and rejects pending and later reads', async (t) => {
    const started = Promise.withResolvers<Worker>();
    process.once('worker', (worker) => started.resolve(worker as Worker));
    const deaths: unknown[] = [];
    const reader = await openReader(newFile(t), new FailingStatements(), (cause) => deaths.push(cause));
    // A thread ends only after its statement.
    const slow =
      'with recursive c (n) as (select 1 union all select n + 1 from c limit 2000000) select max(n) from c';
    const pending = reader.all(slow, []);
    await Promise.all([
      assert.rejects(pending, /the SQLite reader thread ended/),
      (await started.promise).terminate(),
    ]);
    await assert.rejects(reader.all('select 1', []), /the SQLite reader thread ended/);
    assert.equal(deaths.length, 1);
  });
});
