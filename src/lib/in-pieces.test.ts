import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { monotonicMs } from './clock.ts';
import { inPieces } from './in-pieces.ts';

describe('work in pieces', () => {
  it('does all in order, and lets other callbacks run in between', async () => {
    const done: number[] = [];
    let doneByThen = 0;
    setImmediate(() => {
      doneByThen = done.length;
    });
    await inPieces([1, 2, 3, 4, 5, 6, 7, 8], (item) => {
      done.push(item);
      for (const untilMs = monotonicMs() + 1; monotonicMs() < untilMs; );
    });
    assert.deepEqual(done, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert.ok(doneByThen > 0 && doneByThen < 8, `${doneByThen}`);
  });
});
