import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toRowText } from '../../db/index.ts';
import { decodeBatches, encodeBatch } from './segment.ts';

/** Like clicks, with line feeds and tabs in visitors' text. */
const ROWS = [
  [row('a1', 'Pixel'), row('a2', 'iPhone\n\t')],
  [row('b1', 'ünïcödé')],
  [],
  [row('c1', 'x'), row('c2', 'y'), row('c3', 'z')],
];
const BATCHES = ROWS.map(encodeBatch);
const SEGMENT = Buffer.concat(BATCHES);
const FILLED = Buffer.concat([SEGMENT, Buffer.alloc(200)]);
const LAST_START = SEGMENT.length - (BATCHES.at(-1)?.length ?? 0);

describe('a damaged segment', () => {
  it('with one changed bit decodes to all other batches, for every bit position', () => {
    for (let index = 0; index < SEGMENT.length; index++)
      for (const bit of [0, 1, 3, 7]) {
        const bytes = Buffer.from(FILLED);
        bytes.writeUInt8(bytes.readUInt8(index) ^ (1 << bit), index);
        assertOneLost(bytes, index, `bit ${bit} of byte ${index}`);
      }
  });

  it('with a block of zeros decodes to all batches outside of it', () => {
    for (let index = 0; index < SEGMENT.length; index++) {
      const bytes = Buffer.from(FILLED).fill(0, index, index + 30);
      const decoded = decodeBatches(bytes, 'may be cut');
      const intact = intactOutside(index, index + 30);
      assert.deepEqual(texts(decoded.batches), intact, `zeros at ${index}`);
      // A power failure leaves zeros in the last batch.
      const isCut = index + 30 > LAST_START;
      assert.deepEqual([decoded.damage.length, decoded.cutBytes > 0], isCut ? [0, true] : [1, false]);
      assert.equal(decodeBatches(bytes, 'end').damage.length, isCut ? 1 : 2, `zeros at ${index}`);
    }
  });

  it('with a duplicated or missing block decodes to all other batches', () => {
    for (let index = 0; index + 40 < SEGMENT.length; index++) {
      const block = SEGMENT.subarray(index, index + 40);
      const twice = Buffer.concat([SEGMENT.subarray(0, index + 40), block, SEGMENT.subarray(index + 40)]);
      for (const batch of intactOutside(index + 39, index + 41))
        assert.ok(texts(decodeBatches(twice, 'end').batches).includes(batch), `twice at ${index}`);
      const without = Buffer.concat([SEGMENT.subarray(0, index), SEGMENT.subarray(index + 40)]);
      assert.deepEqual(texts(decodeBatches(without, 'end').batches), intactOutside(index, index + 40));
    }
  });

  it('reports the number of lost rows by their line feeds', () => {
    const bytes = Buffer.from(SEGMENT);
    bytes.write('!', LAST_START + 60);
    const lost = { offset: LAST_START, bytes: SEGMENT.length - LAST_START, lostRows: 3 };
    assert.deepEqual(decodeBatches(bytes, 'end').damage, [lost]);
  });

  it('never decodes a batch forged in a visitor’s text', () => {
    const forged = [encodeBatch(['forged']), encodeBatch([row('forged', 'x')])].join('\n');
    const bytes = encodeBatch([row('a', forged), row('b', `\n${forged}\n`)]);
    for (let index = 0; index < bytes.length; index++) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(index) ^ 1, index);
      assert.deepEqual(decodeBatches(damaged, 'may be cut').batches, [], `byte ${index}`);
      const cut = decodeBatches(bytes.subarray(index + 1), 'end');
      assert.deepEqual(cut.batches, [], `cut at ${index}`);
    }
  });

  it('is distinguished from a segment whose last write a crash cut', () => {
    const intact = texts(decodeBatches(SEGMENT, 'end').batches);
    for (let length = LAST_START + 1; length < SEGMENT.length; length++) {
      // A cut exactly after a row is reported as damage.
      if (SEGMENT[length - 1] === 0x0a && length > LAST_START + 18) continue;
      for (const filling of [0, 500]) {
        const cut = Buffer.concat([SEGMENT.subarray(0, length), Buffer.alloc(filling)]);
        const { batches, damage, cutBytes } = decodeBatches(cut, 'may be cut');
        assert.deepEqual([texts(batches), damage], [intact.slice(0, -1), []], `cut at ${length}`);
        assert.equal(cutBytes, length - LAST_START);
      }
      assert.equal(decodeBatches(SEGMENT.subarray(0, length), 'end').damage.length, 1, `cut at ${length}`);
    }
  });

  it('decodes the same in two parts of any length', () => {
    const bytes = Buffer.from(SEGMENT);
    bytes.write('!', 30);
    bytes.write('!', SEGMENT.length - 5);
    const intact = decodeBatches(bytes, 'end');
    for (let length = 1; length < bytes.length; length++) {
      const first = decodeBatches(bytes.subarray(0, length), 'more');
      const second = decodeBatches(bytes.subarray(first.length), 'end');
      assert.deepEqual(texts([...first.batches, ...second.batches]), texts(intact.batches), `${length}`);
      assert.equal(first.damage.length + second.damage.length, intact.damage.length, `${length}`);
    }
  });
});

function assertOneLost(bytes: Buffer, index: number, message: string): void {
  const { batches, damage, cutBytes } = decodeBatches(bytes, 'may be cut');
  assert.deepEqual(texts(batches), intactOutside(index, index + 1), message);
  assert.deepEqual([damage.length, cutBytes], [1, 0], message);
}

/** The rows of the batches without a byte between `start` and `end`. */
function intactOutside(start: number, end: number): string[] {
  let offset = 0;
  const intact: string[] = [];
  for (const batch of BATCHES) {
    if (offset + batch.length <= start || offset >= end) intact.push(batch.subarray(18).toString());
    offset += batch.length;
  }
  return intact.filter((rows) => rows !== '');
}

function texts(batches: readonly Buffer[]): string[] {
  return batches.map((batch) => batch.toString());
}

function row(id: string, userAgent: string): string {
  return toRowText(['01a1f88f-e5b7-7d62-aa89-c51860d95758', id, userAgent, null, '{"platformVersion":"14"}']);
}
