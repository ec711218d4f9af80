import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toRowText } from '../../platform/db/index.ts';
import { decodeBatches, encodeBatch } from './segment.ts';

/** As clicks are, with line feeds and tabs in what the visitor sent. */
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
  it('gives every batch but the one with the changed byte, and never a changed row, wherever the byte is', () => {
    for (let place = 0; place < SEGMENT.length; place++)
      for (const bit of [0, 1, 3, 7]) {
        const bytes = Buffer.from(FILLED);
        bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << bit), place);
        assertOneLost(bytes, place, `bit ${bit} of byte ${place}`);
      }
  });

  it('gives every batch outside of a block of zeros, wherever the block is', () => {
    for (let place = 0; place < SEGMENT.length; place++) {
      const bytes = Buffer.from(FILLED).fill(0, place, place + 30);
      const decoded = decodeBatches(bytes, 'may be cut');
      const whole = wholeOutside(place, place + 30);
      assert.deepEqual(texts(decoded.batches), whole, `zeros at ${place}`);
      // Zeros in the last batch are what a power cut leaves of it.
      const isCut = place + 30 > LAST_START;
      assert.deepEqual([decoded.damage.length, decoded.cutBytes > 0], isCut ? [0, true] : [1, false]);
      assert.equal(decodeBatches(bytes, 'end').damage.length, isCut ? 1 : 2, `zeros at ${place}`);
    }
  });

  it('gives every batch around a block that is there twice, or is missing', () => {
    for (let place = 0; place + 40 < SEGMENT.length; place++) {
      const block = SEGMENT.subarray(place, place + 40);
      const twice = Buffer.concat([SEGMENT.subarray(0, place + 40), block, SEGMENT.subarray(place + 40)]);
      for (const batch of wholeOutside(place + 39, place + 41))
        assert.ok(texts(decodeBatches(twice, 'end').batches).includes(batch), `twice at ${place}`);
      const without = Buffer.concat([SEGMENT.subarray(0, place), SEGMENT.subarray(place + 40)]);
      assert.deepEqual(texts(decodeBatches(without, 'end').batches), wholeOutside(place, place + 40));
    }
  });

  it('says how many rows are lost, as far as their line feeds are left', () => {
    const bytes = Buffer.from(SEGMENT);
    bytes.write('!', LAST_START + 60);
    const lost = { offset: LAST_START, bytes: SEGMENT.length - LAST_START, lostRows: 3 };
    assert.deepEqual(decodeBatches(bytes, 'end').damage, [lost]);
  });

  it('gives no batch that a visitor wrote into a click, wherever the damage is', () => {
    const forged = [encodeBatch(['forged']), encodeBatch([row('forged', 'x')])].join('\n');
    const bytes = encodeBatch([row('a', forged), row('b', `\n${forged}\n`)]);
    for (let place = 0; place < bytes.length; place++) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(place) ^ 1, place);
      assert.deepEqual(decodeBatches(damaged, 'may be cut').batches, [], `byte ${place}`);
      const cut = decodeBatches(bytes.subarray(place + 1), 'end');
      assert.deepEqual(cut.batches, [], `cut at ${place}`);
    }
  });

  it('is told from one that a crash cut, which has its last batch in part', () => {
    const whole = texts(decodeBatches(SEGMENT, 'end').batches);
    for (let length = LAST_START + 1; length < SEGMENT.length; length++) {
      // A cut right behind a row may as well be damage.
      if (SEGMENT[length - 1] === 0x0a && length > LAST_START + 18) continue;
      for (const filling of [0, 500]) {
        const cut = Buffer.concat([SEGMENT.subarray(0, length), Buffer.alloc(filling)]);
        const { batches, damage, cutBytes } = decodeBatches(cut, 'may be cut');
        assert.deepEqual([texts(batches), damage], [whole.slice(0, -1), []], `cut at ${length}`);
        assert.equal(cutBytes, length - LAST_START);
      }
      assert.equal(decodeBatches(SEGMENT.subarray(0, length), 'end').damage.length, 1, `cut at ${length}`);
    }
  });

  it('is read the same in parts, of whatever length', () => {
    const bytes = Buffer.from(SEGMENT);
    bytes.write('!', 30);
    bytes.write('!', SEGMENT.length - 5);
    const whole = decodeBatches(bytes, 'end');
    for (let length = 1; length < bytes.length; length++) {
      const first = decodeBatches(bytes.subarray(0, length), 'more');
      const second = decodeBatches(bytes.subarray(first.length), 'end');
      assert.deepEqual(texts([...first.batches, ...second.batches]), texts(whole.batches), `${length}`);
      assert.equal(first.damage.length + second.damage.length, whole.damage.length, `${length}`);
    }
  });
});

function assertOneLost(bytes: Buffer, place: number, message: string): void {
  const { batches, damage, cutBytes } = decodeBatches(bytes, 'may be cut');
  assert.deepEqual(texts(batches), wholeOutside(place, place + 1), message);
  assert.deepEqual([damage.length, cutBytes], [1, 0], message);
}

/** The rows of the batches that have no byte from `start` to `end`. */
function wholeOutside(start: number, end: number): string[] {
  let offset = 0;
  const whole: string[] = [];
  for (const batch of BATCHES) {
    if (offset + batch.length <= start || offset >= end) whole.push(batch.subarray(18).toString());
    offset += batch.length;
  }
  return whole.filter((rows) => rows !== '');
}

function texts(batches: readonly Buffer[]): string[] {
  return batches.map((batch) => batch.toString());
}

function row(id: string, userAgent: string): string {
  return toRowText(['01a1f88f-e5b7-7d62-aa89-c51860d95758', id, userAgent, null, '{"platformVersion":"14"}']);
}
