/**
 * A segment is a file of the journal: batches, one after the other. A batch is a head, which is a line with the CRC-32 and
 * the length in bytes of what follows, eight hexadecimal digits each, and then its rows, a line each. A write has one batch
 * or several. Zeros follow the last batch where the file was filled ahead of its use.
 *
 * A row contains no line feed and no zero byte, so text that a visitor sends cannot form a head inside a row. The decoder
 * therefore finds the batches behind damaged bytes by searching for the next head whose checksum matches.
 */
import { crc32 } from 'node:zlib';
import { parts } from '../../platform/parts.ts';

const DIGITS = 8;
const HEAD_BYTES = DIGITS + 1 + DIGITS + 1;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const NAME = /^clicks-(\d{12})\.journal$/;
const DAMAGED_NAME = /^clicks-(\d{12})\.damaged$/;

/** All names are of one length, so that their order is that of the numbers. */
export function segmentName(number: number): string {
  return `clicks-${String(number).padStart(12, '0')}.journal`;
}

/** The number in a segment's name; null for any other file. */
export function segmentNumber(name: string): number | null {
  return numberIn(name, NAME);
}

/** The name under which a damaged segment is kept after its intact batches were read. */
export function damagedName(number: number): string {
  return `clicks-${String(number).padStart(12, '0')}.damaged`;
}

/** The number in the name of a kept damaged segment; null for any other file. */
export function damagedNumber(name: string): number | null {
  return numberIn(name, DAMAGED_NAME);
}

function numberIn(name: string, pattern: RegExp): number | null {
  const digits = pattern.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Bounds a batch, so that a reader can take few rows at once even when many were written together. */
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

/** Bytes of a segment that fail their checksum. */
export interface Damage {
  /** Where they start, in bytes from the start of what was decoded. */
  readonly offset: number;
  readonly bytes: number;
  /** Rows in them as far as line feeds still tell, at least 1. */
  readonly lostRows: number;
}

interface Decoded {
  /** The rows of each intact batch, a line each. */
  readonly batches: Buffer[];
  readonly damage: Damage[];
  /** Bytes at the end that are an incomplete batch. */
  readonly cutBytes: number;
  /** Bytes decoded; those behind need more of the segment to be decoded. */
  readonly length: number;
}

/**
 * What follows `bytes` in the segment: `more` bytes, or its `end`. A segment that `may be cut` ends where a process may
 * have died while it wrote.
 */
export type Followed = 'more' | 'end' | 'may be cut';

/** Decodes `bytes`, which begin where a batch does. */
export function decodeBatches(bytes: Buffer, followed: Followed): Decoded {
  const batches: Buffer[] = [];
  const damage: Damage[] = [];
  let start = 0;
  while (start < bytes.length) {
    const rows = rowsAt(bytes, start);
    if (rows !== null) {
      if (rows.length > 0) batches.push(rows);
      start += HEAD_BYTES + rows.length;
      continue;
    }
    const next = followed === 'more' && isLonger(bytes, start) ? null : findBatch(bytes, start + 1);
    if (next === null && followed === 'more') break;
    const mayBeCut = next === null && followed === 'may be cut';
    const bad = mayBeCut ? withoutZeros(bytes.subarray(start)) : bytes.subarray(start, next ?? bytes.length);
    if (mayBeCut && isCut(bad)) return { batches, damage, cutBytes: bad.length, length: bytes.length };
    damage.push({ offset: start, bytes: bad.length, lostRows: countRows(bad) });
    start = next ?? bytes.length;
  }
  return { batches, damage, cutBytes: 0, length: start };
}

/** The rows of the batch that starts there; null where its checksum fails or it is not whole. */
function rowsAt(bytes: Buffer, start: number): Buffer | null {
  const end = start + HEAD_BYTES + lengthAt(bytes, start);
  // NaN fails the comparison.
  if (!(end <= bytes.length)) return null;
  const rows = bytes.subarray(start + HEAD_BYTES, end);
  return bytes.toString('latin1', start, start + HEAD_BYTES) === headOf(rows) ? rows : null;
}

/** NaN where there is no head. */
function lengthAt(bytes: Buffer, start: number): number {
  const length = bytes.toString('latin1', start + DIGITS + 1, start + HEAD_BYTES - 1);
  return Number.parseInt(length, 16);
}

function isLonger(bytes: Buffer, start: number): boolean {
  return start + HEAD_BYTES > bytes.length || start + HEAD_BYTES + lengthAt(bytes, start) > bytes.length;
}

/** Searches by the line feed of the head: the byte before the head may be damaged. */
function findBatch(bytes: Buffer, from: number): number | null {
  let lineFeed = bytes.indexOf(LINE_FEED, from + HEAD_BYTES - 1);
  for (; lineFeed !== -1; lineFeed = bytes.indexOf(LINE_FEED, lineFeed + 1)) {
    const start = lineFeed - HEAD_BYTES + 1;
    if (bytes[start + DIGITS] === SPACE && rowsAt(bytes, start) !== null) return start;
  }
  return null;
}

/**
 * Whether a process may have died while it wrote this end of a segment. Sectors that did not reach the disk are zeros or
 * missing, so an end without zeros that has its full length, or stops exactly behind a row, was changed later.
 */
function isCut(end: Buffer): boolean {
  if (end.length <= HEAD_BYTES || end.includes(0)) return true;
  return end.at(-1) !== LINE_FEED && end.length !== HEAD_BYTES + lengthAt(end, 0);
}

function withoutZeros(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.subarray(0, end);
}

function countRows(bad: Buffer): number {
  let rows = 0;
  for (let lineStart = 0, lineFeed = 0; ; lineStart = lineFeed + 1) {
    lineFeed = bad.indexOf(LINE_FEED, lineStart);
    if (lineFeed === -1) return Math.max(rows, 1);
    if (lineFeed - lineStart !== HEAD_BYTES - 1) rows += 1;
  }
}

function headOf(rows: Buffer): string {
  return `${hexadecimal(crc32(rows))} ${hexadecimal(rows.length)}\n`;
}

function hexadecimal(value: number): string {
  return value.toString(16).padStart(DIGITS, '0');
}
