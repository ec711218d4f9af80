import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { coalesce } from './coalesce.ts';

/** Calls that the test settles. */
function createCalls() {
  const calls: PromiseWithResolvers<number>[] = [];
  const call = coalesce(() => {
    const result = Promise.withResolvers<number>();
    calls.push(result);
    return result.promise;
  });
  return { calls, call };
}

describe('coalesced calls', () => {
  it('callers during a call share the next one', async () => {
    const { calls, call } = createCalls();
    const first = call();
    const late = [call(), call()];
    assert.equal(calls.length, 1);
    calls[0]?.resolve(1);
    assert.equal(await first, 1);
    await new Promise(setImmediate);
    assert.equal(calls.length, 2);
    calls[1]?.resolve(2);
    assert.deepEqual(await Promise.all(late), [2, 2]);
  });

  it('a failure rejects only the callers that share the call', async () => {
    const { calls, call } = createCalls();
    const first = call();
    const late = call();
    calls[0]?.reject(new Error('silence'));
    await assert.rejects(first, /silence/);
    await new Promise(setImmediate);
    calls[1]?.resolve(2);
    assert.equal(await late, 2);
    const last = call();
    calls[2]?.resolve(3);
    assert.equal(await last, 3);
  });
});
