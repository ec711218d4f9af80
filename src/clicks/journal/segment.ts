/**
 * A segment is a file of the journal. Each line of it is one batch: eight hexadecimal digits of CRC-32, a space, and a
 * JSON array of rows. A line that was cut by a crash fails its checksum; nothing of it was ever acknowledged.
 */
import { crc32 } from 'node:zlib';

const CHECKSUM_CHARACTERS = 8;
const PREFIX_BYTES = CHECKSUM_CHARACTERS + 1;
const EMPTY_ARRAY_BYTES = 2;
const LINE_FEED = 0x0a;
const NAME = /^clicks-(\d{12})\.journal$/;

export function segmentName(number: number): string {
  return `clicks-${String(number).padStart(12, '0')}.journal`;
}

/** The number in a segment's name; null for any other file. */
export function segmentNumber(name: string): number | null {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** One batch as it stands in the file. */
export function encodeBatch(rows: readonly string[]): Buffer {
  const line = Buffer.from(`${' '.repeat(PREFIX_BYTES)}[${rows.join(',')}]\n`);
  line.write(checksum(line.subarray(PREFIX_BYTES, -1)), 'latin1');
  return line;
}

/**
 * Reads the whole batches at the start of `bytes`.
 * @returns their JSON arrays as text, and how many bytes they take; what follows is cut off or not whole yet.
 */
export function decodeBatches(bytes: Buffer): { jsonArrays: string[]; length: number } {
  const jsonArrays: string[] = [];
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (end === -1) break;
    const json = bytes.subarray(start + PREFIX_BYTES, end);
    if (bytes.toString('latin1', start, start + CHECKSUM_CHARACTERS) !== checksum(json)) break;
    if (json.length > EMPTY_ARRAY_BYTES) jsonArrays.push(json.toString('utf8'));
    start = end + 1;
  }
  return { jsonArrays, length: start };
}

/** Whether a segment was not written from here on: it is full of zeros. */
export function isUnused(bytes: Buffer): boolean {
  return bytes[0] === 0;
}

function checksum(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(CHECKSUM_CHARACTERS, '0');
}
