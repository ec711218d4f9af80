import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeLock } from '../lib/data-dir/lock.ts';
import { waitForStart } from './setup.ts';

it('setup waits while a service starts, and for nothing else', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'throughline-test-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  await waitForStart({ dataDir });
  const lock = takeLock(dataDir);
  let isOver = false;
  const waiting = waitForStart({ dataDir }).then(() => {
    isOver = true;
  });
  await sleep(300);
  assert.ok(!isOver);
  writeFileSync(join(dataDir, 'server.json'), '{}');
  await waiting;
  lock.close();
});
