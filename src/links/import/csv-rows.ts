import { type CsvError, parse } from 'csv-parse/sync';
import { countLines } from './file-text.ts';
import { ImportFileError } from './imported-row.ts';

export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Longer rows are due to a quote that is not closed. */
const MAX_ROW_CHARACTERS = 1024 * 1024;
const MAX_COLUMNS = 200;
/** Excel's own line for its separator. */
const SEPARATOR_LINE = /^sep=([;,\t])$/i;
const EMPTY_LINES = /^(?:[^\S\n]*\n)+/;
const BOX = /^\s*(\+[-=+]{3}|[┌╔├│║|])/;
const JSON_START = /^\s*[{[]/;
const HTML_START = /^\s*<(!doctype|html|\?xml)/i;

/** Rows of a CSV file whose text comes in pieces, the header among them; without empty ones. */
export function createCsvRows(): {
  /** @throws ImportFileError for text that is no CSV. */
  write(text: string): CsvRow[];
  /** @throws ImportFileError for a file that ends within a row. */
  end(): CsvRow[];
} {
  const wholeRows = createWholeRows();
  let delimiter: string | null = null;
  let width = 0;

  function read({ text, firstLine }: Piece): CsvRow[] {
    if (delimiter !== null) return parseRows(text, { firstLine, delimiter });
    const [start = ''] = text.replace(EMPTY_LINES, '').split('\n', 1);
    if (start === '') return [];
    const separator = SEPARATOR_LINE.exec(start.trim())?.[1];
    if (separator === undefined) assertTable(start);
    delimiter = separator ?? delimiterOf(start);
    const end = separator === undefined ? 0 : text.indexOf(start) + start.length + 1;
    return read({ text: text.slice(end), firstLine: firstLine + countLines(text.slice(0, end)) });
  }

  return {
    write(text) {
      const piece = wholeRows.take(text);
      const rows = piece === null ? [] : read(piece);
      width ||= rows[0]?.cells.length ?? 0;
      return rows;
    },
    end() {
      const piece = wholeRows.rest();
      const rows = piece === null ? [] : read(piece);
      const last = rows.at(-1);
      if (last !== undefined && last.cells.length < width)
        throw new ImportFileError(
          `The file ends within line ${last.line}, which has ${last.cells.length} of ${width} cells: it is cut off. Export it again. If it is whole, add a line break at its end.`,
        );
      return rows;
    },
  };
}

interface Piece {
  readonly text: string;
  readonly firstLine: number;
}

/** Cuts text at the ends of rows: line ends between quotes belong to a cell. */
function createWholeRows() {
  let pending = '';
  let pendingLine = 1;
  let line = 1;
  /** Where the quote was opened that is open. */
  let quoteLine: number | null = null;

  return {
    /** @returns null as long as no row is complete. */
    take(text: string): Piece | null {
      let end = 0;
      let endLine = line;
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code === QUOTE) quoteLine = quoteLine === null ? line : null;
        if (code !== LINE_FEED) continue;
        line += 1;
        if (quoteLine !== null) continue;
        end = at + 1;
        endLine = line;
      }
      const taken = end === 0 ? null : { text: pending + text.slice(0, end), firstLine: pendingLine };
      pending = end === 0 ? pending + text : text.slice(end);
      pendingLine = end === 0 ? pendingLine : endLine;
      if (pending.length <= MAX_ROW_CHARACTERS) return taken;
      throw new ImportFileError(
        quoteLine === null
          ? `Line ${pendingLine} is longer than 1 MiB. Remove the row, and send the file again.`
          : quotesFailure(quoteLine),
      );
    },
    /** @throws ImportFileError within quotes. */
    rest(): Piece | null {
      if (quoteLine !== null)
        throw new ImportFileError(
          `The file ends within the quote that line ${quoteLine} opens: it is cut off, or the quote is not closed. Export it again.`,
        );
      return pending === '' ? null : { text: pending, firstLine: pendingLine };
    },
  };
}

const QUOTE = 34;
const LINE_FEED = 10;

function assertTable(start: string): void {
  if (BOX.test(start))
    throw new ImportFileError(
      'The file is a table drawn with lines, as the command line of Shlink prints it, and no CSV. Export the links with the web client of Shlink, or by its API.',
    );
  if (JSON_START.test(start))
    throw new ImportFileError('The file is JSON, and no CSV. Send it as application/x-ndjson.');
  if (HTML_START.test(start))
    throw new ImportFileError(
      'The file is a web page or XML, and no CSV: the export failed, or asked for a login. Export it again.',
    );
}

/** The one that divides the header into most cells: the names of columns have none of them without quotes. */
function delimiterOf(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '');
  const countOf = (delimiter: string) => bare.split(delimiter).length;
  return [';', '\t'].reduce((best, next) => (countOf(next) > countOf(best) ? next : best), ',');
}

function parseRows(
  text: string,
  { firstLine, delimiter }: { firstLine: number; delimiter: string },
): CsvRow[] {
  const { stackTraceLimit } = Error;
  // The parser makes an error of each record of another length, and traces take most of its time.
  Error.stackTraceLimit = 0;
  try {
    const records = parse(text, {
      delimiter,
      info: true,
      // Otherwise the parser looks for it at each character until the first line ends.
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    }) as unknown as { record: string[]; info: { lines: number } }[];
    const hasLongRows = text.includes('"');
    return records.map(({ record, info }) => {
      assertFewCells(record);
      // The parser names the last line of a record.
      const breaks = hasLongRows ? record.reduce((sum, cell) => sum + countLines(cell), 0) : 0;
      return { line: firstLine + info.lines - 1 - breaks, cells: record };
    });
  } catch (error) {
    if (error instanceof ImportFileError) throw error;
    const line = firstLine + Number((error as CsvError).lines) - 1;
    throw new ImportFileError(quotesFailure(line), { cause: error });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function assertFewCells(cells: readonly string[]): void {
  if (cells.length > MAX_COLUMNS)
    throw new ImportFileError(
      `The file has more than ${MAX_COLUMNS} columns. Leave out some, and send it again.`,
    );
}

function quotesFailure(line: number): string {
  return `The quotes of line ${line} do not fit. A cell with quotes begins and ends with one, and has "" for one within. Mend it, and send the file again.`;
}
