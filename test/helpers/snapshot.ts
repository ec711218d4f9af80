import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Compares with a committed file; `npm run snapshots` rewrites it, and the diff shows the change. */
export function matchSnapshot(path: string, text: string): void {
  if (process.env.UPDATE_SNAPSHOTS === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return;
  }
  const committed = existsSync(path) ? readFileSync(path, 'utf8') : '';
  assert.equal(text, committed, `${path} is out of date: review the difference, then run npm run snapshots`);
}
