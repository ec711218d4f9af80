/**
 * QR codes (ISO/IEC 18004) of bytes at level M, versions 1 to 20. The smallest library takes 2.1 KB, which with the rest
 * is more than the 5 KB that a page may be sent.
 */

export type Grid = readonly (readonly number[])[];

/** By version, from 1, the place of a character after `: bytes of error correction in a block, and blocks. */
const CORRECTION = 'jpzrxprvvz~vvxx||zzz';
const BLOCKS = 'aaabbdddeeehiijjkmnp';
/** Level M, and the standard’s first mask, a chessboard: to try the others took the room that the banner needs. */
const FORMAT = 0x5412;

/** Rows of 1 (dark) and 0. Undefined for a text that is too long. */
export function encodeQr(text: string): Grid | undefined {
  const bytes = [...new TextEncoder().encode(text)];
  for (let version = 1; version <= CORRECTION.length; version += 1) {
    const [correction = 0, blocks = 0] = [CORRECTION, BLOCKS].map((all) => all.charCodeAt(version - 1) - 96);
    const size = 17 + 4 * version;
    const free = size * size - frameOf(version).flat().length;
    const capacity = (free >> 3) - correction * blocks;
    const countDigits = version > 9 ? 4 : 2;
    // Half a byte says that bytes follow; half a byte ends them.
    if (bytes.length + countDigits / 2 + 1 > capacity) continue;
    const digits = `4${hex(bytes.length, countDigits)}${bytes.map((byte) => hex(byte, 2)).join('')}0`;
    const pairs = digits.padEnd(capacity * 2, 'ec11').match(/../g) ?? [];
    const words = interleave(
      pairs.map((pair) => Number(`0x${pair}`)),
      blocks,
      correction,
    );
    return fill(frameOf(version), words);
  }
  return undefined;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/** The blocks with their correction, one byte of each in turn; later blocks may have one more. */
function interleave(data: readonly number[], blockCount: number, correction: number): number[] {
  const rest = [...data];
  const blocks = Array.from({ length: blockCount }, (_, index) =>
    rest.splice(0, (data.length + index) / blockCount),
  );
  const inTurn = (lists: readonly (readonly number[])[]) =>
    (lists[blockCount - 1] as number[]).flatMap((_, place) => lists.flatMap((list) => list[place] ?? []));
  return [...inTurn(blocks), ...inTurn(blocks.map((block) => correct(block, correction)))];
}

/** Reed-Solomon, in the field of 256 elements with the polynomial 0x11d. What is missing counts as 0. */
function correct(data: readonly number[], length: number): number[] {
  let generator = [1];
  for (let index = 0, root = 1; index < length; index += 1, root = times(root, 2))
    generator = [...generator, 0].map((each, place) => each ^ times(generator[place - 1] as number, root));
  return data.reduce<number[]>(
    ([first = 0, ...rest], byte) =>
      [...rest, 0].map((each, place) => each ^ times(generator[place + 1] as number, byte ^ first)),
    Array(length).fill(0),
  );
}

function times(one: number, other: number): number {
  let product = 0;
  for (let bit = 128; bit; bit >>= 1) {
    product = (product << 1) ^ (product > 127 ? 0x11d : 0);
    if (other & bit) product ^= one;
  }
  return product;
}

/** What every code of the version has; what is free has no value. */
function frameOf(version: number): number[][] {
  const size = 17 + 4 * version;
  const grid: number[][] = Array.from({ length: size }, () => []);
  // What is left of the grid has no place in a row.
  const put = (x: number, y: number, value: number) => {
    const row = grid[y];
    if (row && x < size) row[x] = value & 1;
  };
  const both = (x: number, y: number, value: number) => {
    put(x, y, value);
    put(y, x, value);
  };
  const mark = (x: number, y: number, radius: number, light: number) => {
    for (let dy = -radius; dy <= radius; dy += 1)
      for (let dx = -radius; dx <= radius; dx += 1) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        put(x + dx, y + dy, ring === light || ring === 4 ? 0 : 1);
      }
  };
  for (let index = 0; index < size; index += 1) both(6, index, ~index);
  const marks = marksOf(version);
  for (const x of marks)
    for (const y of marks)
      if (x + y > 12 && (Math.min(x, y) > 6 || Math.max(x, y) < size - 7)) mark(x, y, 2, 1);
  mark(3, 3, 4, 2);
  mark(size - 4, 3, 4, 2);
  mark(3, size - 4, 4, 2);
  for (let bit = 0; bit < 15; bit += 1) {
    const value = FORMAT >> bit;
    if (bit < 8) {
      put(8, bit + (bit > 5 ? 1 : 0), value);
      put(size - 1 - bit, 8, value);
    } else {
      put(bit > 8 ? 14 - bit : 7, 8, value);
      put(8, size - 15 + bit, value);
    }
  }
  put(8, size - 8, 1);
  if (version > 6)
    for (let bit = 0; bit < 18; bit += 1)
      both(size - 11 + (bit % 3), (bit / 3) | 0, withCheck(version) >> bit);
  return grid;
}

/** Coordinates of the small marks. Three of their crossings have the large ones. */
function marksOf(version: number): number[] {
  if (version < 2) return [];
  const count = ((version / 7) | 0) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, index) => 10 + 4 * version - index * step)];
}

/** With the remainder of its division by the polynomial 0x1f25. */
function withCheck(version: number): number {
  let rest = version;
  for (let index = 0; index < 12; index += 1) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
  return (version << 12) | rest;
}

/** What is free, in columns of two from the right, up and down in turn, under the mask. */
function fill(grid: number[][], words: readonly number[]): Grid {
  const size = grid.length;
  let bit = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const y = (right + 1) & 2 ? step : size - 1 - step;
        const row = grid[y] as number[];
        if (row[x] !== undefined) continue;
        row[x] = (((words[bit >> 3] as number) >> (7 - (bit & 7))) & 1) ^ ((x + y + 1) & 1);
        bit += 1;
      }
  }
  return grid;
}
