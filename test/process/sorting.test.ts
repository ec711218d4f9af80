import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makePlace } from '../helpers/engines.ts';
import { runCommand } from '../helpers/process.ts';

const HELPER = new URL('../helpers/sorting-place.ts', import.meta.url).href;

describe('SQLite', { skip: process.platform !== 'linux' && 'needs /proc' }, () => {
  it('sorts large tables in DATA_DIR, unless SQLITE_TMPDIR names another folder', async (t) => {
    const [place, other] = [await makePlace('sqlite'), await makePlace('sqlite')];
    t.after(() => Promise.all([place.remove(), other.remove()]));
    const env = { ...place.env, NODE_OPTIONS: `--import=${HELPER}` };
    const { code, stdout } = await runCommand(['migrate'], env);
    assert.equal(code, 0);
    assert.ok(stdout.includes(`sorts in ${place.dataDir}/`), stdout);
    const chosen = await runCommand(['migrate'], { ...env, SQLITE_TMPDIR: other.dataDir });
    assert.ok(chosen.stdout.includes(`sorts in ${other.dataDir}/`), chosen.stdout);
  });
});
