import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { closeFile } from './files.ts';
import { NextSegment } from './next-segment.ts';

const MIB = 1024 * 1024;

describe('the next segment', () => {
  let directory = '';
  let path = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'throughline-segment-'));
    path = join(directory, 'next');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('is filled with zeros as far as the current segment, and a little ahead', async () => {
    const next = new NextSegment(path, 4 * MIB);
    for (let used = 100; used <= MIB; used += 1_000) next.fillTo(used);
    await end(next);
    const bytes = readFileSync(path);
    assert.ok(bytes.length >= MIB - 1_000 && bytes.length <= 1.25 * MIB, String(bytes.length));
    assert.ok(bytes.every((byte) => byte === 0));
  });

  it('has the size of a segment once the current one is full', async () => {
    const next = new NextSegment(path, 300_000);
    next.fillTo(150_000);
    next.fillTo(300_500);
    await end(next);
    assert.equal(readFileSync(path).length, 300_000);
  });

  it('is not filled after it is taken', async () => {
    const next = new NextSegment(path, 4 * MIB);
    next.fillTo(1);
    await end(next);
    const { length } = readFileSync(path);
    next.fillTo(3 * MIB);
    await end(next);
    assert.equal(readFileSync(path).length, length);
  });

  it('is removed after a failed write and when the journal closes', async () => {
    const away = join(directory, 'missing', 'next');
    const refused = new NextSegment(away, MIB);
    refused.fillTo(1);
    assert.equal(await refused.take(), null);
    assert.equal(existsSync(away), false);
    const unused = new NextSegment(path, MIB);
    unused.fillTo(1);
    await unused.remove();
    assert.equal(existsSync(path), false);
  });
});

async function end(next: NextSegment): Promise<void> {
  const file = await next.take();
  if (file !== null) await closeFile(file);
}
