/** What became of each row of a file, in parts that are stored compressed. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Db } from '../../db/index.ts';
import { toCsvLines, toMarkedCsvLines } from '../../server/csv.ts';
import type { ReportRow } from './import.ts';
import { type ImportRow, listParts } from './queries.ts';

const LEVEL = 1;
const PARTS_AT_ONCE = 8;
const [compress, decompress] = [promisify(gzip), promisify(gunzip)];

export async function packRows(rows: readonly ReportRow[]): Promise<string> {
  return (await compress(JSON.stringify(rows), { level: LEVEL })).toString('base64');
}

export async function unpackRows(content: string): Promise<ReportRow[]> {
  return JSON.parse((await decompress(Buffer.from(content, 'base64'))).toString()) as ReportRow[];
}

const COLUMNS = ['line', 'outcome', 'oldAddress', 'shortUrl', 'reason', 'notes'];
const NOT_REACHED = 'The import ended before this link was stored. Its error says what to do.';

/** CSV of all rows, in pieces. */
export async function* rowsAsCsv(db: Db, of: ImportRow): AsyncGenerator<string> {
  yield toCsvLines([COLUMNS]);
  for await (const rows of reportOf(db, of))
    yield toCsvLines(
      rows.map(({ line, outcome, oldAddress, shortUrl, reason, notes }) => [
        line,
        outcome,
        oldAddress,
        shortUrl,
        reason,
        notes.join(' '),
      ]),
    );
}

/** CSV of the failed rows in the source's own columns, in pieces: the import reads it again as the file was. */
export async function* failuresAsCsv(db: Db, of: ImportRow): AsyncGenerator<string> {
  const columns = JSON.parse(of.failure_columns) as string[];
  yield toMarkedCsvLines([[...columns, 'line', 'reason']]);
  for await (const rows of reportOf(db, of)) {
    const failures = rows.filter(({ outcome, raw }) => outcome === 'failed' && raw !== undefined);
    yield toMarkedCsvLines(
      failures.map(({ raw = {}, line, reason }) => [
        ...columns.map((column) => (Object.hasOwn(raw, column) ? raw[column] : '')),
        line,
        reason,
      ]),
    );
  }
}

async function* reportOf(db: Db, of: ImportRow): AsyncGenerator<ReportRow[]> {
  const key = { appId: of.app_id, id: of.id };
  for (let from = 0; ; from += PARTS_AT_ONCE) {
    const parts = await listParts(db, key, { from, limit: PARTS_AT_ONCE });
    for (const { number, content } of parts) {
      const rows = await unpackRows(content);
      const isReached = of.status !== 'failed' || (of.dry_run === 0 && number < of.written_parts);
      yield isReached ? rows : rows.map(notReached);
    }
    if (parts.length < PARTS_AT_ONCE) return;
  }
}

function notReached(row: ReportRow): ReportRow {
  return row.outcome === 'created' ? { ...row, outcome: 'failed', shortUrl: null, reason: NOT_REACHED } : row;
}
