import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, beforeEach, describe, it } from 'node:test';
import { FailingStatements } from '../../../src/db/sqlite/failing-statements.ts';
import { groupCommits } from '../../../src/db/sqlite/group-commit.ts';
import { openWriter, type SqliteWriter } from '../../../src/db/sqlite/writer.ts';

const PAGE_BYTES = 4_096;

describe('concurrent transactions', () => {
  let directory: string;
  let writer: SqliteWriter;
  let reader: DatabaseSync;
  let commit: ReturnType<typeof groupCommits>;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'group-commit-'));
    writer = await openWriter(join(directory, 'test.db'), new FailingStatements(), () => undefined);
    commit = groupCommits(writer);
    await run('create table seats (id integer primary key, taken_by text) strict');
    await run('create table guests (name text not null primary key) strict');
    reader = new DatabaseSync(join(directory, 'test.db'), { readOnly: true });
  });
  after(async () => {
    reader.close();
    await writer.close();
    rmSync(directory, { recursive: true });
  });
  beforeEach(async () => {
    await run('delete from guests');
    await run('delete from seats');
    await run('insert into seats (id) values (1), (2)');
  });

  async function run(sql: string): Promise<void> {
    const session = await writer.acquire();
    await session.run(sql, []).finally(() => session.release());
  }

  const welcome = (name: string | null) => ({ sql: 'insert into guests values (?)', parameters: [name] });
  const seat = (name: string, id: number) => ({
    sql: 'update seats set taken_by = ? where id = ? and taken_by is null',
    parameters: [name, id],
  });
  const guests = () =>
    reader
      .prepare('select name from guests order by name')
      .all()
      .map(({ name }) => name);

  it('are each stored completely or not at all, independently of the others', async () => {
    const outcomes = await Promise.allSettled([
      commit([welcome('first')]),
      commit([welcome('Ada'), seat('Ada', 1)]),
      commit([welcome('Bob'), seat('Bob', 1)]),
      commit([welcome('Cleo'), welcome(null)]),
      commit([welcome('Dan'), seat('Dan', 2)]),
    ]);
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
      [null, null, 1, 'NOT NULL constraint failed: guests.name', null],
    );
    assert.deepEqual(guests(), ['Ada', 'Dan', 'first']);
    const taken = reader.prepare('select taken_by from seats order by id').all();
    assert.deepEqual(
      taken.map(({ taken_by }) => taken_by),
      ['Ada', 'Dan'],
    );
  });

  it('share pages of the write-ahead log', async () => {
    await run('pragma wal_checkpoint(truncate)');
    const names = Array.from({ length: 100 }, (_, i) => `guest ${i}`);
    const outcomes = await Promise.all(names.map((name) => commit([welcome(name)])));
    assert.deepEqual(
      outcomes,
      names.map(() => null),
    );
    assert.equal(guests().length, 100);
    const logged = statSync(join(directory, 'test.db-wal')).size / PAGE_BYTES;
    assert.ok(logged < 40, `${logged} pages were written`);
  });

  it('are committed before a session that was acquired after they arrived', async () => {
    // More statements than one group takes.
    const commits = Array.from({ length: 200 }, (_, i) => commit([welcome(`guest ${i}`)]));
    const session = await writer.acquire();
    assert.equal(guests().length, 200);
    session.release();
    await Promise.all(commits);
  });

  it('are all rejected and not stored when the disk is full', async () => {
    const { page_count: pages } = reader.prepare('pragma page_count').get() as { page_count: number };
    await run(`pragma max_page_count = ${pages}`);
    const long = 'x'.repeat(20 * PAGE_BYTES);
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c'].map((name) => commit([welcome(name), welcome(name + long)])),
    ).finally(() => run('pragma max_page_count = 1000000'));
    for (const outcome of outcomes)
      assert.match(String(outcome.status === 'rejected' && outcome.reason), /full/);
    assert.deepEqual(guests(), []);
    assert.equal(await commit([welcome('later')]), null);
  });
});
