/** Minimal PNG encoder: a palette of two colours, one bit per pixel. */
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import { AppError } from '../../errors.ts';
import type { Modules, QrCodeStyle } from './qr-code.ts';

const compress = promisify(deflate);

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const BIT_DEPTH = 1;
const COLOUR_TYPE_PALETTE = 3;

/**
 * Modules are squares of whole pixels; remaining pixels widen the margin.
 * @throws AppError `request.invalid` if there are fewer pixels than modules.
 */
export async function drawPng(modules: Modules, style: QrCodeStyle): Promise<Buffer> {
  const { size, margin, color, background } = style;
  const side = modules.length + 2 * margin;
  if (size < side)
    throw new AppError('request.invalid', {
      message: `size is too small: this code is ${side} modules wide with its margin, and needs a pixel for each. Set size to at least ${side}, or ask for format=svg.`,
    });
  const isTransparent = background === 'transparent';
  const palette = Buffer.from((isTransparent ? '#ffffff' : background).slice(1) + color.slice(1), 'hex');
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header(size)),
    chunk('PLTE', palette),
    ...(isTransparent ? [chunk('tRNS', Buffer.from([0]))] : []),
    chunk('IDAT', await compress(pixelsOf(modules, { size, scale: Math.floor(size / side) }))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function header(size: number): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.writeUInt32BE(size, 0);
  bytes.writeUInt32BE(size, 4);
  bytes.set([BIT_DEPTH, COLOUR_TYPE_PALETTE], 8);
  return bytes;
}

/** Each line is a filter byte, always 0, and one bit per pixel: 1 selects the second colour of the palette. */
function pixelsOf(modules: Modules, { size, scale }: { size: number; scale: number }): Buffer {
  const lineBytes = 1 + Math.ceil(size / 8);
  const pixels = Buffer.alloc(lineBytes * size);
  const offset = Math.floor((size - modules.length * scale) / 2);
  modules.forEach((row, y) => {
    const line = Buffer.alloc(lineBytes);
    row.forEach((isSet, x) => {
      if (isSet) setBits(line, offset + x * scale, scale);
    });
    for (let copy = 0; copy < scale; copy++) line.copy(pixels, (offset + y * scale + copy) * lineBytes);
  });
  return pixels;
}

function setBits(line: Buffer, start: number, count: number): void {
  for (let x = start; x < start + count; x++) {
    const place = 1 + (x >> 3);
    line[place] = (line[place] ?? 0) | (0x80 >> (x & 7));
  }
}

/** Length, type, data, CRC of type and data (w3.org/TR/png-3/#5Chunk-layout). */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const bytes = Buffer.alloc(body.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  body.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(body), body.length + 4);
  return bytes;
}
