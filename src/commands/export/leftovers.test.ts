import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { removeLeftovers } from './leftovers.ts';

it('a warehouse keeps no draft of an export that was killed, and leaves one that is being written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-leftovers-'));
  const day = join(folder, 'events', 'day=2026-11-25');
  mkdirSync(day, { recursive: true });
  const old = new Date(Date.now() - 2 * 3_600_000);
  const make = (name: string, isOld: boolean) => {
    writeFileSync(join(day, name), 'x');
    if (isOld) utimesSync(join(day, name), old, old);
  };
  make('part-0.parquet', true);
  make('part-0.parquet.draft', true);
  make('part-0.parquet.draft.4711.partial', true);
  make('part-0.parquet.draft.4712.partial', false);
  await removeLeftovers(folder, Date.now());
  assert.deepEqual(readdirSync(day).sort(), ['part-0.parquet', 'part-0.parquet.draft.4712.partial']);
  rmSync(folder, { recursive: true });
});
