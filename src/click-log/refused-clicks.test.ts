import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { RefusedClicks } from './refused-clicks.ts';

describe('refused clicks', () => {
  it('are written on new lines after an incomplete line', async (t) => {
    const parent = mkdtempSync(join(tmpdir(), 'throughline-test-'));
    t.after(() => rmSync(parent, { recursive: true, force: true }));
    const directory = join(parent, 'journal');
    const refused = new RefusedClicks(directory);
    const row = Buffer.from('a\t1\n');
    await assert.rejects(refused.add([row]));
    mkdirSync(directory);
    writeFileSync(refused.path, 'cu');
    await refused.add([row]);
    await refused.add([row]);
    assert.equal(readFileSync(refused.path, 'utf8'), 'cu\na\t1\na\t1\n');
  });
});
