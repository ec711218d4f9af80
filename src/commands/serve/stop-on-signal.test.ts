import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';

const PROGRAMS = {
  'stop-on-signal': 'stopOnSignal({ info() {}, error() {} }, async () => {});',
  'wait-for-stop': 'waitForStop(0);',
};

for (const [name, call] of Object.entries(PROGRAMS))
  it(`${name} takes a signal that arrived while an earlier handler was replaced`, () => {
    const program = `
      import * as all from '${new URL(`./${name}.ts`, import.meta.url).href}';
      const { stopOnSignal, waitForStop } = all;
      process.on('SIGTERM', () => process.exit(3));
      // Node sees it in its next turn, as one that arrives while modules are loaded.
      process.kill(process.pid, 'SIGTERM');
      setTimeout(() => process.exit(4), 1_000);
      ${call}`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });
