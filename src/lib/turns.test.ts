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

  it('a call beyond those that may wait is refused; those that wait run, and those of another key', async () => {
    const inTurn = createTurns(1, { max: 2, refusal: () => new Error('too many') });
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const done: string[] = [];
    const call = (key: string, name: string) =>
      inTurn(key, async () => {
        await end;
        done.push(name);
      });
    const calls = [call('a', 'a1'), call('a', 'a2'), call('a', 'a3')];
    await assert.rejects(call('a', 'a4'), /too many/);
    calls.push(call('b', 'b1'));
    resolve();
    await Promise.all(calls);
    assert.deepEqual(done, ['a1', 'b1', 'a2', 'a3']);
    await call('a', 'a5');
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
