import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { handleSignals } from './stop-on-signal.ts';

const isWindows = process.platform === 'win32';

describe('the handlers of signals', () => {
  it('get a signal that came while the start kept Node busy, in place of the earlier ones', {
    skip: isWindows && 'Windows has no such signals',
  }, async (t) => {
    const got: string[] = [];
    t.after(() => {
      for (const name of ['SIGTERM', 'SIGINT'] as const) process.removeAllListeners(name);
    });
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => got.push(`early ${name}`));
    process.kill(process.pid, 'SIGTERM');
    process.kill(process.pid, 'SIGINT');
    handleSignals((name) => got.push(name));
    for (let waits = 0; got.length < 2 && waits < 200; waits += 1) await sleep(10);
    assert.deepEqual(got.toSorted(), ['SIGINT', 'SIGTERM']);
  });
});
