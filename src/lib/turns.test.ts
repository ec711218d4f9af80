import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextRound } from 'node:timers/promises';
import { createTurns } from './turns.ts';

describe('calls in turn', () => {
  it('at most the maximum of a key run at a time, in their order, and no other key waits for them', async () => {
    const inTurn = createTurns(2);
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const start = (key: string, name: string) =>
      inTurn(key, async () => {
        started.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
      });
    const calls = [start('a', 'a1'), start('a', 'a2'), start('a', 'a3'), start('a', 'a4'), start('b', 'b1')];
    await nextRound();
    assert.deepEqual(started, ['a1', 'a2', 'b1']);
    ends[0]?.();
    await nextRound();
    assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3']);
    for (let end = 1; end < calls.length; end++) {
      ends[end]?.();
      await nextRound();
    }
    await Promise.all(calls);
    assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('a call that fails gives its place to the next', async () => {
    const inTurn = createTurns(1);
    const failing = inTurn('a', async () => {
      throw new Error('failed');
    });
    const next = inTurn('a', async () => 'next');
    await assert.rejects(failing, /failed/);
    assert.equal(await next, 'next');
  });
});
