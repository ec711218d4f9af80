/**
 * A segment is a file of the journal: batches, one after the other. A batch is a line with the CRC-32 and the length in
 * bytes of what follows, eight hexadecimal digits each, and then its rows, a line each. A write has one batch or several.
 * A batch that was cut by a crash fails its checksum; nothing of it was ever acknowledged.
 */
import { crc32 } from 'node:zlib';
import { parts } from '../../platform/parts.ts';

const DIGITS = 8;
const HEAD_BYTES = DIGITS + 1 + DIGITS + 1;
const NAME = /^clicks-(\d{12})\.journal$/;

/** All names are of one length, so that their order is that of the numbers. */
export function segmentName(number: number): string {
  return `clicks-${String(number).padStart(12, '0')}.journal`;
}

/** The number in a segment's name; null for any other file. */
export function segmentNumber(name: string): number | null {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Whoever reads can take so few at once: many more may wait for a disk that stalls, and are written together. */
const MAX_ROWS_OF_BATCH = 500;

/** Rows as they stand in the file, in as many batches as they need; without rows, in an empty one. */
export function encodeRows(rows: readonly string[]): Buffer {
  if (rows.length <= MAX_ROWS_OF_BATCH) return encodeBatch(rows);
  return Buffer.concat([...parts(rows, MAX_ROWS_OF_BATCH)].map(encodeBatch));
}

/** One batch as it stands in the file. */
export function encodeBatch(rows: readonly string[]): Buffer {
  const head = ' '.repeat(HEAD_BYTES);
  const batch = Buffer.from(rows.length === 0 ? head : `${head}${rows.join('\n')}\n`);
  batch.write(headOf(batch.subarray(HEAD_BYTES)), 'latin1');
  return batch;
}

/**
 * Reads the whole batches at the start of `bytes`.
 * @returns the rows of each, and how many bytes they take with their heads; what follows is cut off or not whole yet.
 */
export function decodeBatches(bytes: Buffer): { batches: Buffer[]; length: number } {
  const batches: Buffer[] = [];
  let start = 0;
  for (;;) {
    const rowsStart = start + HEAD_BYTES;
    const head = bytes.toString('latin1', start, rowsStart);
    const end = rowsStart + Number.parseInt(head.slice(DIGITS + 1), 16);
    // Also where there is no head, and hence no number.
    if (!(end <= bytes.length)) break;
    const rows = bytes.subarray(rowsStart, end);
    if (head !== headOf(rows)) break;
    if (rows.length > 0) batches.push(rows);
    start = end;
  }
  return { batches, length: start };
}

/** Whether a segment was not written from here on: it is full of zeros. */
export function isUnused(bytes: Buffer): boolean {
  return bytes[0] === 0;
}

function headOf(rows: Buffer): string {
  return `${hexadecimal(crc32(rows))} ${hexadecimal(rows.length)}\n`;
}

function hexadecimal(value: number): string {
  return value.toString(16).padStart(DIGITS, '0');
}
