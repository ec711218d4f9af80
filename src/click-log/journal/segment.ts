/**
 * The file format of a segment: a sequence of batches, then zeros if the file was preallocated. A batch is a header line
 * (CRC-32 and byte length of the rows, eight hexadecimal digits each) and its rows, one per line.
 *
 * Rows contain no line feed and no zero byte, so text sent by a visitor cannot form a header inside a row. After damaged
 * bytes the decoder resumes at the next header whose checksum matches.
 */
import { crc32 } from 'node:zlib';
import { chunks } from '../../lib/chunks.ts';

const DIGITS = 8;
const HEADER_BYTES = DIGITS + 1 + DIGITS + 1;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
/** The journal of an app's lane has the app's ID in the names of its files. */
const FILE_NAME = /^clicks-(?:(.+)-)?(\d{12})\.(journal|damaged)$/;

/** A position in the journal. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

export function isAtOrAfter(a: Position, b: Position): boolean {
  return a.segment > b.segment || (a.segment === b.segment && a.offset >= b.offset);
}

/** Names of equal length, so that those of a journal sort by number. @param appId of a lane; null for the main journal. */
export function segmentName(number: number, appId: string | null = null): string {
  return `${stemOf(number, appId)}.journal`;
}

export function damagedName(number: number, appId: string | null = null): string {
  return `${stemOf(number, appId)}.damaged`;
}

function stemOf(number: number, appId: string | null): string {
  return `clicks-${appId === null ? '' : `${appId}-`}${String(number).padStart(12, '0')}`;
}

/** What the name of a segment's file says. */
interface SegmentFile {
  readonly number: number;
  /** Of a lane; null for the main journal. */
  readonly appId: string | null;
  readonly isDamaged: boolean;
}

/** @returns null for another file. */
export function segmentFile(name: string): SegmentFile | null {
  const [, appId = null, digits, ending] = FILE_NAME.exec(name) ?? [];
  return digits === undefined ? null : { number: Number(digits), appId, isDamaged: ending === 'damaged' };
}

/** Bounds the smallest possible read. */
const MAX_ROWS_OF_BATCH = 500;

/** Encodes rows as one or more batches; an empty batch if there are none. */
export function encodeRows(rows: readonly string[]): Buffer {
  if (rows.length <= MAX_ROWS_OF_BATCH) return encodeBatch(rows);
  return Buffer.concat([...chunks(rows, MAX_ROWS_OF_BATCH)].map(encodeBatch));
}

export function encodeBatch(rows: readonly string[]): Buffer {
  const header = ' '.repeat(HEADER_BYTES);
  const batch = Buffer.from(rows.length === 0 ? header : `${header}${rows.join('\n')}\n`);
  batch.write(headerOf(batch.subarray(HEADER_BYTES)), 'latin1');
  return batch;
}

/** A part of a segment without a valid checksum. */
export interface Damage {
  /** From the start of the decoded bytes. */
  readonly offset: number;
  readonly bytes: number;
  /** Counted by line feeds, at least 1. */
  readonly lostRows: number;
}

interface Decoded {
  /** The rows of each intact batch, one per line. */
  readonly batches: Buffer[];
  readonly damage: Damage[];
  /** Size of an incomplete batch at the end. */
  readonly cutBytes: number;
  /** Decoded bytes; the rest is an incomplete batch that needs more of the segment. */
  readonly length: number;
}

/** After the decoded bytes: `more` bytes of the segment, its `end`, or an end that a crash `may` have `cut`. */
type Continuation = 'more' | 'end' | 'may be cut';

/** Decodes bytes that start at a batch. */
export function decodeBatches(bytes: Buffer, continuation: Continuation): Decoded {
  const batches: Buffer[] = [];
  const damage: Damage[] = [];
  let start = 0;
  while (start < bytes.length) {
    const rows = rowsAt(bytes, start);
    if (rows !== null) {
      if (rows.length > 0) batches.push(rows);
      start += HEADER_BYTES + rows.length;
      continue;
    }
    const next = continuation === 'more' && extendsBeyond(bytes, start) ? null : findBatch(bytes, start + 1);
    if (next === null && continuation === 'more') break;
    const mayBeCut = next === null && continuation === 'may be cut';
    const bad = mayBeCut ? withoutZeros(bytes.subarray(start)) : bytes.subarray(start, next ?? bytes.length);
    if (mayBeCut && isCut(bad)) return { batches, damage, cutBytes: bad.length, length: bytes.length };
    damage.push({ offset: start, bytes: bad.length, lostRows: countRows(bad) });
    start = next ?? bytes.length;
  }
  return { batches, damage, cutBytes: 0, length: start };
}

/** @returns null if no complete batch with a valid checksum starts there. */
function rowsAt(bytes: Buffer, start: number): Buffer | null {
  const end = start + HEADER_BYTES + lengthAt(bytes, start);
  // NaN fails the comparison.
  if (!(end <= bytes.length)) return null;
  const rows = bytes.subarray(start + HEADER_BYTES, end);
  return bytes.toString('latin1', start, start + HEADER_BYTES) === headerOf(rows) ? rows : null;
}

/** @returns NaN without a header. */
function lengthAt(bytes: Buffer, start: number): number {
  const length = bytes.toString('latin1', start + DIGITS + 1, start + HEADER_BYTES - 1);
  return Number.parseInt(length, 16);
}

function extendsBeyond(bytes: Buffer, start: number): boolean {
  return start + HEADER_BYTES > bytes.length || start + HEADER_BYTES + lengthAt(bytes, start) > bytes.length;
}

/** Searches for the header's line feed, since the byte before the header may be damaged. */
function findBatch(bytes: Buffer, from: number): number | null {
  let lineFeed = bytes.indexOf(LINE_FEED, from + HEADER_BYTES - 1);
  for (; lineFeed !== -1; lineFeed = bytes.indexOf(LINE_FEED, lineFeed + 1)) {
    const start = lineFeed - HEADER_BYTES + 1;
    if (bytes[start + DIGITS] === SPACE && rowsAt(bytes, start) !== null) return start;
  }
  return null;
}

/**
 * Whether a crash may have cut the last write. Sectors that did not reach the disk are zeros or missing, so a batch of full
 * length without zeros, or one that ends exactly after a row, was damaged later.
 */
function isCut(end: Buffer): boolean {
  if (end.length <= HEADER_BYTES || end.includes(0)) return true;
  return end.at(-1) !== LINE_FEED && end.length !== HEADER_BYTES + lengthAt(end, 0);
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
    if (lineFeed - lineStart !== HEADER_BYTES - 1) rows += 1;
  }
}

function headerOf(rows: Buffer): string {
  return `${toHex(crc32(rows))} ${toHex(rows.length)}\n`;
}

function toHex(value: number): string {
  return value.toString(16).padStart(DIGITS, '0');
}
