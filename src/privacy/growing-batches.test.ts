import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { growingBatches } from './growing-batches.ts';

describe('growingBatches', () => {
  async function sizesFor(records: number, most: number): Promise<number[]> {
    async function* pages() {
      for (let first = 0; first < records; first += 100)
        yield Array.from({ length: Math.min(100, records - first) }, (_, n) => String(first + n));
    }
    const sizes: number[] = [];
    for await (const batch of growingBatches(pages(), most)) sizes.push(batch.length);
    assert.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      records,
      'each record is in a batch',
    );
    return sizes;
  }

  it('1.5 million records take at most 2,000 batches of at most a thousand records', async () => {
    const sizes = await sizesFor(1_500_000, 1_000);
    assert.ok(sizes.length <= 2_000, `${sizes.length} transactions`);
    assert.equal(Math.max(...sizes), 1_000);
  });

  it('the first 2,500 records are in batches of 25', async () => {
    assert.deepEqual(await sizesFor(2_510, 1_000), [...Array<number>(100).fill(25), 10]);
  });

  it('no batch exceeds the maximum size, and a repeated id is returned once', async () => {
    assert.equal(Math.max(...(await sizesFor(50_000, 100))), 100);
    async function* twice() {
      yield ['a', 'b', 'a'];
    }
    const { value } = await growingBatches(twice(), 1_000).next();
    assert.deepEqual(value, ['a', 'b']);
  });
});
