/** Reads and judges files, beside the event loop: half a million rows take it some ten seconds. */
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { answerCalls } from '../../lib/thread-calls.ts';
import { createReader } from './create-reader.ts';
import { FirstLines } from './first-lines.ts';
import { type JudgedRow, MAX_IMPORT_ROWS } from './import.ts';
import { ImportFileError, type ImportFormat, type ImportReader, type ImportSource } from './imported-row.ts';
import { judgeRow, type RowContext, type Rules } from './judge-row.ts';

export interface FileToJudge {
  readonly path: string;
  readonly source: ImportSource;
  readonly format: ImportFormat;
  /** Field to header, of a plain CSV file. */
  readonly columns: Readonly<Record<string, string>> | null;
  readonly rules: Rules;
}

/** The next rows of a file, in order. */
export interface JudgedChunk {
  readonly rows: readonly JudgedRow[];
  readonly readBytes: number;
  readonly isEnd: boolean;
  /** Why the rest cannot be read; null if it can. */
  readonly error: string | null;
  /** Header to field. */
  readonly columns: Readonly<Record<string, string>>;
}

/** The thread's operations; a file is known by its path. */
export type JudgeOperations = {
  /** @returns why the file cannot be read; null if it can. */
  open(file: FileToJudge): string | null;
  next(path: string): JudgedChunk;
  close(path: string): void;
};

/** Bounds what is in memory on both threads. */
const ROWS_OF_CHUNK = 500;
/** Bounds the memory of a chunk of large rows. */
const BYTES_OF_CHUNK = 512 * 1024;
const BYTES_AT_ONCE = 32 * 1024;

interface OpenFile {
  readonly file: number;
  readonly reader: ImportReader;
  readonly context: RowContext;
  /** Judged beyond the last chunk. */
  rows: JudgedRow[];
  rowCount: number;
  readBytes: number;
  isEnd: boolean;
}

if (parentPort === null) throw new Error('this file runs as a worker thread');

const files = new Map<string, OpenFile>();
const buffer = Buffer.alloc(BYTES_AT_ONCE);

const operations: JudgeOperations = {
  open({ path, rules, columns, ...options }) {
    try {
      const reader = createReader({ ...options, ...(columns !== null && { columns }) });
      const context = { ...rules, firstLines: new FirstLines() };
      const file = openSync(path, 'r');
      files.set(path, { file, reader, context, rows: [], rowCount: 0, readBytes: 0, isEnd: false });
      return null;
    } catch (error) {
      if (error instanceof ImportFileError) return error.message;
      throw error;
    }
  },
  next(path) {
    const open = files.get(path);
    if (open === undefined) throw new Error('the file is not open');
    const error = readRows(open);
    const rows = error === null ? open.rows.splice(0, ROWS_OF_CHUNK) : open.rows.splice(0);
    const isEnd = error !== null || (open.isEnd && open.rows.length === 0);
    return { rows, readBytes: open.readBytes, isEnd, error, columns: open.reader.columns };
  },
  close(path) {
    const open = files.get(path);
    if (open !== undefined) closeSync(open.file);
    files.delete(path);
  },
};

answerCalls(parentPort, operations);

/** Until there is a chunk. @returns why the file cannot be read; null if it can. */
function readRows(open: OpenFile): string | null {
  const untilBytes = open.readBytes + BYTES_OF_CHUNK;
  try {
    while (!open.isEnd && open.rows.length < ROWS_OF_CHUNK && open.readBytes < untilBytes) readPiece(open);
    return null;
  } catch (error) {
    if (error instanceof ImportFileError) return error.message;
    throw error;
  }
}

function readPiece(open: OpenFile): void {
  const bytes = readSync(open.file, buffer);
  open.readBytes += bytes;
  open.isEnd = bytes === 0;
  // A copy: the reader may keep a part of it.
  const rows = open.isEnd ? open.reader.end() : open.reader.write(Buffer.from(buffer.subarray(0, bytes)));
  for (const row of rows) open.rows.push(...judgeRow(row, open.context));
  open.rowCount += rows.length;
  if (open.rowCount > MAX_IMPORT_ROWS)
    throw new ImportFileError(
      `The file has more than ${MAX_IMPORT_ROWS.toLocaleString('en-US')} rows. Divide it, and import the parts one after the other.`,
    );
}
