import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { workerDir } from '../platform/data-dir/index.ts';
import { parseRows, toRowText } from '../platform/db/index.ts';
import { adoptJournals, journalDirectory } from './adopt-journals.ts';
import { Journal } from './journal/index.ts';

const LIMITS = { segmentBytes: 100, maxBytes: 1_000_000 };

describe('journals that nobody owns', () => {
  let dataDir = '';
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'throughline-adopt-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('of workers are moved into the journal of the one process, behind what is there', async () => {
    await write(dataDir, ['a', 'b']);
    await write(workerDir(dataDir, 1), ['c']);
    await write(workerDir(dataDir, 2), ['d', 'e']);
    await adoptJournals(dataDir, [dataDir]);
    assert.deepEqual(await read(dataDir), ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(readdirSync(join(dataDir, 'workers')), []);
  });

  it('are shared out among the workers that start, and theirs stay', async () => {
    await write(dataDir, ['a']);
    for (const [number, id] of [...'bcde'].entries()) await write(workerDir(dataDir, number + 1), [id]);
    const owners = [1, 2].map((number) => workerDir(dataDir, number));
    await adoptJournals(dataDir, owners);
    const found = await Promise.all(owners.map(read));
    assert.deepEqual(
      found.map((ids) => ids[0]),
      ['b', 'c'],
    );
    assert.deepEqual(found.flat().sort(), ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(readdirSync(join(dataDir, 'workers')).sort(), ['1', '2']);
  });

  it('bring along what the database refused', async () => {
    await write(dataDir, ['a']);
    await write(workerDir(dataDir, 1), ['b']);
    appendFileSync(join(journalDirectory(dataDir), 'refused.tsv'), 'x\t1\ncut');
    appendFileSync(join(journalDirectory(workerDir(dataDir, 1)), 'refused.tsv'), 'y\t2\n');
    await adoptJournals(dataDir, [dataDir]);
    const lines = readFileSync(join(journalDirectory(dataDir), 'refused.tsv'), 'utf8').split('\n');
    assert.ok(lines.includes('x\t1') && lines.includes('y\t2'), lines.join('\n'));
  });

  it('bring along the damaged segments that are kept, and replace none', async () => {
    await write(dataDir, ['a']);
    await write(workerDir(dataDir, 1), ['b']);
    for (const owner of [dataDir, workerDir(dataDir, 1)])
      appendFileSync(join(journalDirectory(owner), 'clicks-000000000007.damaged'), owner);
    await adoptJournals(dataDir, [dataDir]);
    const kept = readdirSync(journalDirectory(dataDir)).filter((name) => name.endsWith('.damaged'));
    assert.deepEqual(
      kept.map((name) => readFileSync(join(journalDirectory(dataDir), name), 'utf8')),
      [dataDir, workerDir(dataDir, 1)],
    );
    assert.deepEqual(await read(dataDir), ['a', 'b']);
  });

  it('are not touched while somebody still writes them', async () => {
    const directory = workerDir(dataDir, 1);
    await write(directory, ['a']);
    const writer = new DatabaseSync(join(directory, 'lock.db'));
    writer.exec('begin exclusive');
    const adopted = adoptJournals(dataDir, [dataDir]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.deepEqual(await read(directory), ['a']);
    writer.close();
    await adopted;
    assert.deepEqual(await read(dataDir), ['a']);
    assert.equal(existsSync(directory), false);
  });
});

async function write(owner: string, ids: string[]): Promise<void> {
  const directory = journalDirectory(owner);
  mkdirSync(directory, { recursive: true });
  const journal = await Journal.open(directory, LIMITS);
  for (const id of ids) await journal.append(toRowText([id, 'x'.repeat(100)]));
  await journal.close();
}

async function read(owner: string): Promise<string[]> {
  const journal = await Journal.open(journalDirectory(owner), LIMITS);
  const ids: string[] = [];
  for (let place = journal.start; ; ) {
    const { batches, next } = await journal.read(place, 1_000);
    ids.push(...batches.flatMap((batch) => parseRows(batch.toString())).map(([id]) => String(id)));
    if (next.segment === place.segment && next.offset === place.offset) return ids;
    place = next;
  }
}
