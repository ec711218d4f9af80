import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCache, MAX_AGE_MS } from './cache.ts';

/** A cache whose reads the test settles. */
function setUp() {
  const time = { nowMs: 1_000_000 };
  const reads: PromiseWithResolvers<string>[] = [];
  const cache = createCache({ nowMs: () => time.nowMs }, () => {
    const read = Promise.withResolvers<string>();
    reads.push(read);
    return read.promise;
  });
  return { time, reads, cache };
}

describe('a cache', () => {
  it('shares a read among concurrent callers and keeps its value', async () => {
    const { time, reads, cache } = setUp();
    const values = [cache.get('a'), cache.get('a')];
    reads[0]?.resolve('1');
    assert.deepEqual(await Promise.all(values), ['1', '1']);
    time.nowMs += MAX_AGE_MS;
    assert.equal(await cache.get('a'), '1');
    assert.equal(reads.length, 1);
  });

  it('counts the age of a value from the start of its read', async () => {
    const { time, reads, cache } = setUp();
    const first = cache.get('a');
    time.nowMs += MAX_AGE_MS + 1;
    const second = cache.get('a');
    reads[1]?.resolve('2');
    assert.equal(await second, '2');
    reads[0]?.resolve('1');
    assert.equal(await first, '1');
    assert.equal(await cache.get('a'), '2');
  });

  it('does not return a value whose read began before it was forgotten', async () => {
    const { reads, cache } = setUp();
    const before = cache.get('a');
    cache.forget('a');
    const after = cache.get('a');
    reads[1]?.resolve('2');
    reads[0]?.resolve('1');
    assert.deepEqual(await Promise.all([before, after, cache.get('a')]), ['1', '2', '2']);
  });

  it('reads again after a failure and after the clock is set back', async () => {
    const { time, reads, cache } = setUp();
    const failed = cache.get('a');
    reads[0]?.reject(new Error('no database'));
    await assert.rejects(failed, /no database/);
    const value = cache.get('a');
    reads[1]?.resolve('1');
    assert.equal(await value, '1');
    time.nowMs -= 1;
    void cache.get('a');
    assert.equal(reads.length, 3);
  });
});
