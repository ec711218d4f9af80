/** What a fault of the service or of the storage gives: no value that Apple would refuse, and no work without an end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextValue, readSchema } from '../src/conversion-value.ts';
import { MAX_CHUNKS, newState, readState } from '../src/state.ts';

const COARSE = { low: null, medium: null, high: null };
const NONE = { fine: [], coarse: COARSE };
const schemaWith = (change: object) => {
  const range = { from: 0, to: 63, eventName: 'purchase', minRevenue: null, lock: false };
  return [{ fine: [{ ...range, ...change }], coarse: COARSE }, NONE, NONE];
};
const read = (change: object) => readSchema({ windows: schemaWith(change) as never });

describe('a schema of conversion values', () => {
  it('has values from 0 to 63, in order', () => {
    for (const [from, to] of [
      [0, 63],
      [0, 0],
      [63, 63],
    ])
      assert.ok(read({ from, to }), `${from} to ${to}`);
    for (const [from, to] of [
      [-1, 63],
      [0, 64],
      [64, 64],
      [2, 1],
      [0.5, 1],
      [0, Number.NaN],
      ['0', '1'],
      [null, 1],
    ])
      assert.equal(read({ from, to }), null, `${from} to ${to}`);
  });

  it('has at most 64 ranges in a window, and three windows', () => {
    const [first, ...others] = schemaWith({}) as [{ fine: object[] }, object, object];
    const of = (length: number) => [{ ...first, fine: Array(length).fill(first.fine[0]) }, ...others];
    assert.ok(readSchema({ windows: of(64) as never }));
    assert.equal(readSchema({ windows: of(65) as never }), null);
    assert.equal(readSchema({ windows: of(1).slice(1) as never }), null);
  });
});

describe('a stored state', () => {
  const stored = (change: object) => readState(JSON.stringify({ ...newState('one'), ...change }));

  it('whose last value is none of 0 to 63 sets no value', () => {
    const next = (fine: unknown) => {
      const counts = [{ name: 'purchase', n: 1, sums: {} }];
      const window = { counts, set: { fine, coarse: 'low', lock: false } };
      const conversion = { startedAt: 0, etag: null, schemaAt: 0, schema: schemaWith({ from: 5 }) };
      return nextValue({ ...conversion, windows: [window] } as never, 0)?.fine;
    };
    assert.deepEqual([4, -1, 64, 5.5, 1e300, 'high', {}].map(next), [5, 5, ...Array(5).fill(undefined)]);
  });

  it('with a schema that is none waits for the service, whose ETag would say that it is known', () => {
    const conversion = { startedAt: 1, etag: 'known', schemaAt: 1, windows: [] };
    const schemaOf = (change: object) => {
      const { schema, etag } =
        stored({ conversion: { ...conversion, schema: schemaWith(change) } })?.conversion ?? {};
      return [schema, etag];
    };
    assert.deepEqual(schemaOf({}), [schemaWith({}), 'known']);
    assert.deepEqual(schemaOf({ to: 64 }), [null, null]);
  });

  it('names no more chunks of events than may wait, and no number that nothing counts up to', () => {
    const chunksOf = (firstChunk: unknown, endChunk: unknown) => {
      const state = stored({ firstChunk, endChunk });
      return [state?.firstChunk, state?.endChunk];
    };
    assert.deepEqual(chunksOf(7, 9), [7, 9]);
    assert.deepEqual(chunksOf(7, 2 ** 40), [7, 7 + MAX_CHUNKS]);
    assert.deepEqual(chunksOf(9, 7), [9, 9]);
    assert.deepEqual(chunksOf(2 ** 50, 1e300), [0, 0]);
    for (const odd of [-1, 1.5, '7', null, {}]) assert.deepEqual(chunksOf(odd, odd), [0, 0]);
  });
});
