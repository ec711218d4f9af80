import assert from 'node:assert/strict';
import {
  appendFileSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fill, makeRoom, mountDisk, noDisk, unmount } from '../../../test/helpers/disks.ts';
import { waitFor } from '../../../test/helpers/wait-for.ts';
import { Journal, JournalFull, type Position } from './index.ts';

const [FDS, FDINFO] = ['/proc/self/fd', '/proc/self/fdinfo'];
const LIMITS = { segmentBytes: 1_000, maxBytes: 1_000_000 };

describe('journal', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'throughline-journal-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('an acknowledged row is in a file', async () => {
    const journal = await Journal.open(directory, LIMITS);
    await journal.append('{"id":1}', 'app');
    const [name = ''] = readdirSync(directory);
    assert.match(readFileSync(join(directory, name), 'utf8'), /^[0-9a-f]{8} 00000009\n\{"id":1\}\n$/);
    await journal.close();
  });

  it('a row is acknowledged once the disk has it: files are opened for synchronous writes', {
    skip: !existsSync(FDINFO) && 'needs /proc',
  }, async () => {
    const journal = await Journal.open(directory, LIMITS);
    await journal.append('{"id":1}', 'app');
    // The directory itself is open while its entries are synced.
    const open = readdirSync(FDINFO).filter((fd) => readLink(join(FDS, fd)).startsWith(`${directory}/`));
    assert.ok(open.length > 0);
    for (const fd of open) {
      const flags = /flags:\t([0-7]+)/.exec(readFileSync(join(FDINFO, fd), 'utf8'))?.[1] ?? '0';
      assert.equal(Number.parseInt(flags, 8) & constants.O_DSYNC, constants.O_DSYNC);
    }
    await journal.close();
  });

  it('rows are read in order, once each, across segments and restarts', async () => {
    const journal = await Journal.open(directory, LIMITS);
    for (let id = 0; id < 200; id++) await journal.append(`{"id":${id},"text":"ünïcödé"}`, 'app');
    await journal.close();
    assert.ok(readdirSync(directory).length > 3);

    const again = await Journal.open(directory, LIMITS);
    await again.append('{"id":200}', 'app');
    assert.deepEqual(
      ids(await readAll(again, again.start)),
      Array.from({ length: 201 }, (_, id) => id),
    );
    await again.close();
  });

  it('concurrent rows share a write', async () => {
    const journal = await Journal.open(directory, LIMITS);
    await Promise.all([1, 2, 3].map((id) => journal.append(`{"id":${id}}`, 'app')));
    assert.equal((await readAll(journal, journal.start)).length, 1);
    await journal.close();
  });

  it('rows that arrive while writes are throttled share the next write', async () => {
    const journal = await Journal.open(directory, LIMITS);
    const release = Promise.withResolvers<void>();
    journal.throttle = () => release.promise;
    await journal.append('{"id":1}', 'app');
    const others = [journal.append('{"id":2}', 'app'), journal.append('{"id":3}', 'app')];
    for (let read = 0; read < 50; read++) assert.deepEqual(ids(await readAll(journal, journal.start)), [1]);
    release.resolve();
    await Promise.all(others);
    assert.equal((await readAll(journal, journal.start)).length, 2);
    await journal.close();
  });

  it('at most 100,000 rows are buffered; one write of them is read in several parts, in order', async () => {
    const journal = await Journal.open(directory, { segmentBytes: 1_000_000, maxBytes: 100_000_000 });
    const release = Promise.withResolvers<void>();
    journal.throttle = () => release.promise;
    await journal.append('{"id":0}', 'app');
    const waiting = Array.from({ length: 100_000 }, (_, before) =>
      journal.append(`{"id":${before + 1}}`, 'app'),
    );
    const tooMany = assert.rejects(journal.append('{"id":-1}', 'app'), JournalFull);
    release.resolve();
    await tooMany;
    await Promise.all(waiting);
    const some = await journal.read(journal.start, 16 * 1024);
    assert.ok(ids(some.batches).length < 2_000);
    const all = ids(await readAll(journal, journal.start));
    assert.deepEqual(
      all,
      all.map((_, index) => index),
    );
    assert.equal(all.length, 100_001);
    await journal.close();
  });

  it('an incomplete batch is skipped, and acknowledged rows before and after it are read', async () => {
    const journal = await Journal.open(directory, LIMITS);
    await journal.append('{"id":1}', 'app');
    await journal.close();
    const [name = ''] = readdirSync(directory);
    appendFileSync(join(directory, name), '00000000 00000013\n{"id":2}\n{"id"');

    const again = await Journal.open(directory, LIMITS);
    await again.append('{"id":3}', 'app');
    assert.deepEqual(ids(await readAll(again, again.start)), [1, 3]);
    await again.close();
  });

  it('a preallocated segment left by a crash contains no rows', async () => {
    const journal = await Journal.open(directory, LIMITS);
    await journal.append('{"id":1}', 'app');
    writeFileSync(join(directory, 'clicks-000000000002.journal'), Buffer.alloc(LIMITS.segmentBytes));
    const again = await Journal.open(directory, LIMITS);
    await again.append('{"id":2}', 'app');
    assert.deepEqual(ids(await readAll(again, again.start)), [1, 2]);
    await again.close();
    await journal.close();
  });

  it('dropBefore removes the segments before a position', async () => {
    const journal = await Journal.open(directory, LIMITS);
    for (let id = 0; id < 100; id++) await journal.append(`{"id":${id},"text":"${'x'.repeat(50)}"}`, 'app');
    const before = readdirSync(directory).length;
    await journal.dropBefore(journal.end);
    assert.ok(readdirSync(directory).length < before);
    assert.ok(journal.bytesOnDisk < LIMITS.segmentBytes);
    await journal.close();
    await journal.dropBefore(journal.end);
    assert.deepEqual(readdirSync(directory), []);
  });

  it('rotate ends the segment after all rows appended before, including buffered ones', async () => {
    const journal = await Journal.open(directory, LIMITS);
    const first = journal.append('{"id":1}', 'app');
    await new Promise(setImmediate);
    const second = journal.append('{"id":2}', 'app');
    await Promise.all([first, second, journal.rotate()]);
    await journal.dropBefore(journal.end);
    assert.equal(journal.bytesOnDisk, 0);
    await journal.close();
  });

  it('a full journal refuses rows until segments are dropped', async () => {
    const journal = await Journal.open(directory, { segmentBytes: 100, maxBytes: 200 });
    for (let id = 0; id < 3; id++) await journal.append(`{"id":${id},"text":"${'x'.repeat(50)}"}`, 'app');
    await assert.rejects(journal.append('{"id":9}', 'app'), JournalFull);
    await journal.dropBefore(journal.end);
    await journal.append('{"id":10}', 'app');
    await journal.close();
  });

  it('rows are refused while free disk space is at the reserve', {
    skip: noDisk,
  }, async (t) => {
    const disk = mountDisk();
    t.after(() => unmount(disk));
    fill(disk, 48);
    const journal = await Journal.open(disk, LIMITS);
    const refusal = {
      name: 'JournalFull',
      message: /^Free disk space is at the reserve that clicks do not use\. Free space on the disk\.$/,
    };
    await assert.rejects(journal.append('{"id":1}', 'app'), refusal);
    await assert.rejects(journal.probe(), refusal);
    assert.deepEqual(readdirSync(disk), ['ballast']);
    makeRoom(disk);
    await journal.probe();
    await journal.append('{"id":2}', 'app');
    assert.deepEqual(ids(await readAll(journal, journal.start)), [2]);
    await journal.close();
  });

  it('a probe writes an empty batch, and reads skip it', async () => {
    const journal = await Journal.open(directory, LIMITS);
    await journal.append('{"id":1}', 'app');
    await journal.probe();
    await journal.append('{"id":2}', 'app');
    assert.deepEqual(ids(await readAll(journal, journal.start)), [1, 2]);
    await journal.close();
  });

  it('the intact batches of a damaged segment are read; its file is renamed and its number not reused', async () => {
    const journal = await Journal.open(directory, LIMITS);
    for (let id = 0; id < 30; id++) await journal.append(`{"id":${id},"text":"${'x'.repeat(50)}"}`, 'app');
    await journal.close();
    const [name = ''] = readdirSync(directory);
    const bytes = readFileSync(join(directory, name));
    bytes.writeUInt8(bytes.readUInt8(300) ^ 1, 300);
    writeFileSync(join(directory, name), bytes);

    const again = await Journal.open(directory, LIMITS);
    const found = [];
    for (let position = again.start, isEnd = false; !isEnd; ) {
      const { batches, next, damage } = await again.read(position, 200);
      found.push(...batches, ...damage);
      isEnd = next.segment === position.segment && next.offset === position.offset;
      position = next;
    }
    assert.equal(found.length, 30);
    assert.deepEqual(
      found.filter((each) => !Buffer.isBuffer(each)),
      [{ offset: 261, bytes: 87, lostRows: 1 }],
    );
    assert.equal(await again.dropBefore(again.end), 1);
    await again.close();
    assert.deepEqual(readdirSync(directory), ['clicks-000000000001.damaged']);
    assert.deepEqual(readFileSync(join(directory, 'clicks-000000000001.damaged')), bytes);

    const last = await Journal.open(directory, LIMITS);
    await last.append('{"id":1}', 'app');
    assert.equal(last.start.segment, 2);
    await last.close();
  });

  it('reading a segment and starting the next one open no file', async () => {
    const journal = await Journal.open(directory, LIMITS);
    await journal.append('{"id":1}', 'app');
    assert.equal((await readAll(journal, journal.start)).length, 1);
    const nextSegment = join(directory, 'clicks-000000000002.journal');
    await waitFor('the next segment', () => existsSync(nextSegment) || undefined);
    await journal.rotate();
    // From now on an open by path fails, as it does without free file descriptors.
    const away = `${directory}-away`;
    renameSync(directory, away);
    await journal.append('{"id":2}', 'app');
    assert.equal((await journal.read(journal.start, 300)).batches.length, 1);
    renameSync(away, directory);
    assert.deepEqual(ids(await readAll(journal, journal.start)), [1, 2]);
    await journal.close();
  });

  it('a batch larger than `maxBytes` is read whole', async () => {
    const journal = await Journal.open(directory, LIMITS);
    await journal.append(`{"id":1,"text":"${'x'.repeat(5_000)}"}`, 'app');
    const { batches } = await journal.read(journal.start, 100);
    assert.equal(batches.length, 1);
    await journal.close();
  });

  it('a failed write rejects its rows, and the next write succeeds', async () => {
    const journal = await Journal.open(directory, LIMITS);
    rmSync(directory, { recursive: true });
    await assert.rejects(journal.append('{"id":1}', 'app'));
    mkdirSync(directory);
    await journal.append('{"id":2}', 'app');
    assert.deepEqual(ids(await readAll(journal, journal.start)), [2]);
    await journal.close();
  });
});

async function readAll(journal: Journal, from: Position): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for (let position = from; ; ) {
    const { batches, next } = await journal.read(position, 300);
    all.push(...batches);
    if (next.segment === position.segment && next.offset === position.offset) return all;
    position = next;
  }
}

function ids(batches: Buffer[]): number[] {
  const rows = batches.flatMap((batch) => batch.toString().trimEnd().split('\n'));
  return rows.map((row) => (JSON.parse(row) as { id: number }).id);
}

/** Empty if the file was closed in the meantime. */
function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
