import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inRounds } from './rounds.ts';

/** Rounds that a test ends itself. */
function scene() {
  const begun: PromiseWithResolvers<number>[] = [];
  const ask = inRounds(() => {
    const round = Promise.withResolvers<number>();
    begun.push(round);
    return round.promise;
  });
  return { begun, ask };
}

describe('rounds', () => {
  it('whoever asks while one is under way shares the next, which begins after it', async () => {
    const { begun, ask } = scene();
    const first = ask();
    const late = [ask(), ask()];
    assert.equal(begun.length, 1);
    begun[0]?.resolve(1);
    assert.equal(await first, 1);
    await new Promise(setImmediate);
    assert.equal(begun.length, 2);
    begun[1]?.resolve(2);
    assert.deepEqual(await Promise.all(late), [2, 2]);
  });

  it('one that fails fails those who share it, and nobody else', async () => {
    const { begun, ask } = scene();
    const first = ask();
    const late = ask();
    begun[0]?.reject(new Error('silence'));
    await assert.rejects(first, /silence/);
    await new Promise(setImmediate);
    begun[1]?.resolve(2);
    assert.equal(await late, 2);
    const last = ask();
    begun[2]?.resolve(3);
    assert.equal(await last, 3);
  });
});
