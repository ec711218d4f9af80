import assert from 'node:assert/strict';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { FailingStatements } from '../../../src/db/sqlite/failing-statements.ts';
import { FileVacuum } from '../../../src/db/sqlite/file-vacuum.ts';
import { withWriter } from '../../../src/db/sqlite/with-writer.ts';
import { openWriter } from '../../../src/db/sqlite/writer.ts';
import { createLog } from '../../../src/lib/log.ts';
import { fill, makeRoom, mountDisk, noDisk, unmount } from '../../helpers/disks.ts';

const GONE = 'left over';
const MIB = 2 ** 20;
const goOn = async () => undefined;

describe('the rewrite of the SQLite file', () => {
  it('of a large file waits for the daily run, also after a restart; its log is emptied at once', async (t) => {
    const path = newPath(t);
    const before = await openAt(t, path);
    await before.vacuum(0).scrub(goOn);
    assert.ok(holds(path, GONE));
    assert.equal(readFileSync(`${path}-wal`).length, 0);
    await before.writer.close();

    const after = await openAt(t, path);
    await after.vacuum(0).runIfDue(goOn);
    assert.ok(!holds(path, GONE));
    const bytes = readFileSync(path);
    await after.vacuum(0).runIfDue(goOn);
    assert.ok(readFileSync(path).equals(bytes));
  });

  it('of a small file is done at once, and by another request only after a pause', async (t) => {
    const path = newPath(t);
    const { vacuum: newVacuum } = await openAt(t, path);
    const vacuum = newVacuum();
    const durationMs = await timed(() => vacuum.scrub(goOn));
    assert.ok(!holds(path, GONE));
    let steps = 0;
    await vacuum.scrub(async () => {
      steps += 1;
    });
    assert.ok(steps > 1, `${steps} steps after ${durationMs} ms`);
  });

  it('is cancelled if the service stops during the pause', async (t) => {
    const { vacuum: newVacuum } = await openAt(t, newPath(t));
    const vacuum = newVacuum();
    await vacuum.scrub(goOn);
    await assert.rejects(
      vacuum.scrub(async () => {
        throw new Error('stopped');
      }),
      /stopped/,
    );
  });

  it('begins after another program’s read transaction has ended', async (t) => {
    const path = newPath(t);
    const { vacuum } = await openAt(t, path);
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('begin; select * from notes limit 1');
    let waits = 0;
    await vacuum().scrub(async () => {
      waits += 1;
      if (waits === 3) reader.close();
    });
    assert.ok(waits >= 3);
    assert.ok(!holds(path, GONE));
  });

  it('waits for the daily run if the disk is too full', { skip: noDisk }, async (t) => {
    const disk = mountDisk();
    t.after(() => unmount(disk));
    const path = join(disk, 'test.db');
    const { vacuum, run } = await openAt(t, path);
    await run(`create table filler as select zeroblob(${2 * MIB}) as bytes`);
    fill(disk, 66);
    await vacuum().scrub(goOn);
    assert.ok(holds(path, GONE));
    await vacuum().runIfDue(goOn);
    assert.ok(holds(path, GONE));
    makeRoom(disk);
    await vacuum().runIfDue(goOn);
    assert.ok(!holds(path, GONE));
  });
});

function newPath(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'file-vacuum-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return join(directory, 'test.db');
}

async function openAt(t: TestContext, path: string) {
  if (!existsSync(path)) makeRemains(path);
  const writer = await openWriter(path, new FailingStatements(), (cause) => assert.fail(String(cause)));
  t.after(() => writer.close().catch(() => undefined));
  return {
    writer,
    run: (sql: string) => withWriter(writer, async (session) => void (await session.run(sql, []))),
    vacuum: (maxBytesAtOnce?: number) =>
      new FileVacuum(writer, {
        path,
        log: createLog('silent'),
        ...(maxBytesAtOnce !== undefined && { maxBytesAtOnce }),
      }),
  };
}

/** Creates a file with bytes in the unallocated space of an empty table, where SQLite leaves copies of cells. */
function makeRemains(path: string): void {
  const db = new DatabaseSync(path);
  db.exec('pragma page_size = 4096; create table notes (note integer)');
  db.close();
  const file = openSync(path, 'r+');
  writeSync(file, GONE, 4_096 + 100);
  closeSync(file);
}

function holds(path: string, text: string): boolean {
  return readFileSync(path).includes(text);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
