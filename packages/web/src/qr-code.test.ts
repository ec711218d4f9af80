import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import jsQR from 'jsqr';
import { encodeQr, type Grid } from './qr-code.ts';

/** As a camera sees it, 3 pixels a module. */
function decode(grid: Grid): string | undefined {
  const size = (grid.length + 8) * 3;
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1)
      if (grid[Math.floor(y / 3) - 4]?.[Math.floor(x / 3) - 4] === 1)
        pixels.fill(0, (y * size + x) * 4, (y * size + x) * 4 + 3);
  return jsQR.default(pixels, size, size)?.data;
}

describe('QR codes', () => {
  it('of each version hold what was encoded, from the shortest text to the longest', () => {
    /** Bytes that versions 1 to 20 hold at level M, by table 7 of ISO/IEC 18004. */
    const most = [
      14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666,
    ];
    for (const [index, bytes] of most.entries())
      for (const length of [bytes, (most[index - 1] ?? 0) + 1]) {
        const text = `https://x.io/é?${'aB3-'.repeat(200)}`.slice(0, Math.max(length - 1, 1));
        const grid = encodeQr(length < 16 ? 'a'.repeat(length) : text);
        assert.equal(grid?.length, 17 + 4 * (index + 1), `${length} bytes`);
        assert.equal(decode(grid as Grid), length < 16 ? 'a'.repeat(length) : text);
      }
    assert.equal(encodeQr('a'.repeat(667)), undefined);
  });
});
