import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SharedReading } from './shared-reading.ts';

function counting(read: (count: number) => Promise<number>) {
  let atMs = 0;
  let reads = 0;
  const reading = new SharedReading(
    () => {
      reads += 1;
      return read(reads);
    },
    { everyMs: 20_000, nowMs: () => atMs },
  );
  return {
    reading,
    reads: () => reads,
    advance(ms: number) {
      atMs += ms;
    },
  };
}

describe('a shared reading of the database', () => {
  it('is made once for all callers, and at most every 20 seconds', async () => {
    const { reading, reads, advance } = counting(async (count) => count);
    assert.deepEqual(await Promise.all([reading.latest(), reading.latest(), reading.latest()]), [1, 1, 1]);
    advance(19_999);
    assert.equal(await reading.latest(), 1);
    advance(1);
    assert.equal(await reading.latest(), 2);
    assert.equal(reads(), 2);
  });

  it('is null while the database is away, and is made anew by the next caller', async () => {
    const { reading, advance } = counting(async (count) => {
      if (count === 2) throw new Error('away');
      return count;
    });
    assert.equal(await reading.latest(), 1);
    advance(20_000);
    assert.equal(await reading.latest(), null);
    assert.equal(await reading.latest(), 3);
  });

  it('keeps no caller waiting for more than a second while the database does not answer', async () => {
    const stuck = Promise.withResolvers<number>();
    const { reading, reads, advance } = counting((count) =>
      count === 1 ? Promise.resolve(1) : stuck.promise,
    );
    assert.equal(await reading.latest(), 1);
    advance(20_000);
    const startedMs = performance.now();
    const waiting = reading.latest();
    advance(1_000);
    assert.equal(await waiting, null);
    assert.ok(performance.now() - startedMs < 5_000);
    assert.equal(reads(), 2);
    stuck.resolve(2);
    await stuck.promise;
    assert.equal(await reading.latest(), 2);
  });
});
