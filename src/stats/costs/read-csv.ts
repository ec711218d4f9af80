/** Costs from a CSV file, as spreadsheets write it. */
import { isUtf8 } from 'node:buffer';
import { type CsvError, parse } from 'csv-parse/sync';
import { AppError } from '../../errors.ts';
import { MAX_CSV_ROWS } from './schemas.ts';

export interface CsvFile {
  /** By the line of each: a value for `readCost`, or what is wrong with a row that has none. */
  readonly rows: readonly CsvRow[];
  /** As the file names them. */
  readonly columns: ColumnNames;
  readonly ignoredColumns: readonly string[];
}

type CsvRow = { readonly row: number } & ({ readonly value: object } | { readonly refusal: string });

const COLUMNS = {
  date: 'date',
  campaign: 'campaignId',
  campaignid: 'campaignId',
  network: 'network',
  networkcampaign: 'networkCampaignId',
  networkcampaignid: 'networkCampaignId',
  amount: 'amount',
  cost: 'amount',
  currency: 'currency',
} as const;
type Column = (typeof COLUMNS)[keyof typeof COLUMNS];
export type ColumnNames = Readonly<Partial<Record<Column, string>>>;
const NAMES: ReadonlyMap<string, Column> = new Map(Object.entries(COLUMNS));
const REQUIRED = ['date', 'amount', 'currency'] as const;

/** Each takes about a microsecond of the event loop. */
const MAX_CELLS = 50_000;
/** Each takes up to 15 microseconds of it. With the header, empty lines and those within quotes. */
const MAX_LINES = MAX_CSV_ROWS + 1_000;
const MAX_COLUMNS = 200;
const MAX_NAME = 64;
/** Excel's own line for its separator. */
const SEPARATOR_LINE = /^\uFEFF?sep=([;,\t])\n/i;
const HEADER_HELP =
  'The first line must name the columns: date, campaignId (or network and networkCampaignId), amount and currency.';

/** @throws AppError `request.invalid`, `request.invalid_text` for a file that is no table of costs. */
export function readCsv(bytes: Buffer): CsvFile {
  assertNoWorkbook(bytes);
  assertFewLines(bytes);
  const text = decode(bytes);
  const [separatorLine = '', separator] = SEPARATOR_LINE.exec(text) ?? [];
  const table = text.slice(separatorLine.length);
  const delimiter = separator ?? delimiterOf(table);
  const [header, ...records] = parseRecords(table, delimiter);
  const skippedLines = separatorLine === '' ? 0 : 1;
  if (header === undefined) throw invalid(`The file is empty. ${HEADER_HELP}`);
  const head = readHeader(header.cells);
  if (records.length === 0)
    throw invalid('The file has no rows below its header. Add them, and send it again.');
  const rows = records.map(({ line, cells }) => ({
    row: line + skippedLines,
    ...toValue(head, cells, delimiter),
  }));
  return { rows, columns: head.names, ignoredColumns: head.ignoredColumns };
}

/** Files of Excel are ZIP files, older ones OLE files. */
function assertNoWorkbook(bytes: Buffer): void {
  const start = bytes.toString('latin1', 0, 4);
  if (start === 'PK\x03\x04' || start === '\xD0\xCF\x11\xE0')
    throw invalid('This is an Excel workbook. Save it as “CSV UTF-8”, and send that file.');
}

/** Before anything takes time for each line, such as the parser, which makes an error of each record of another length. */
function assertFewLines(bytes: Buffer): void {
  const [lf, cr] = [countOf(bytes, '\n'), countOf(bytes, '\r')];
  // A CRLF is one line end.
  if (Math.max(lf, cr) > MAX_LINES)
    throw invalid(
      `The file has more than ${MAX_LINES} lines, with the empty ones: at most ${MAX_CSV_ROWS} rows. Divide it.`,
    );
}

/** @param character of ASCII. */
function countOf(bytes: Buffer, character: string): number {
  const code = character.charCodeAt(0);
  let count = 0;
  for (const byte of bytes) if (byte === code) count += 1;
  return count;
}

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw invalid('The file is not UTF-8. Save it as “CSV UTF-8”, and send it again.');
  // The parser counts a CRLF within quotes as two lines.
  const text = bytes.toString('utf8').replaceAll(/\r\n?/g, '\n');
  if (text.includes('\0'))
    throw new AppError('request.invalid_text', {
      message: 'The file contains a NUL character. Save it as “CSV UTF-8”, and send it again.',
    });
  return text;
}

/** That of the header: names of columns have none of these characters. */
function delimiterOf(text: string): string {
  const header = /^.*/.exec(text.trimStart())?.[0] ?? '';
  return [';', '\t'].find((delimiter) => header.includes(delimiter)) ?? ',';
}

interface Line {
  readonly line: number;
  readonly cells: readonly string[];
}

function parseRecords(text: string, delimiter: string): Line[] {
  if (text.split(delimiter).length > MAX_CELLS)
    throw invalid(`The file has more than ${MAX_CELLS} cells. Leave out columns, or divide it.`);
  const records = parseText(text, delimiter);
  if (records.length > MAX_CSV_ROWS + 1)
    throw invalid(`The file has more than ${MAX_CSV_ROWS} rows. Divide it.`);
  return records.map(({ record, info }) => ({
    // The parser names the last line of a record.
    line: info.lines - (record.join('').match(/\n/g)?.length ?? 0),
    cells: record.map((cell) => cell.trim()),
  }));
}

function parseText(text: string, delimiter: string) {
  const { stackTraceLimit } = Error;
  // The parser makes an error of each record of another length, and traces take most of its time.
  Error.stackTraceLimit = 0;
  try {
    return parse(text, {
      bom: true,
      delimiter,
      info: true,
      // Otherwise the parser looks for it at each character until the first line ends.
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      to: MAX_CSV_ROWS + 2,
    }) as unknown as { record: string[]; info: { lines: number } }[];
  } catch (error) {
    const { lines } = error as CsvError;
    throw invalid(
      `The quotes of line ${String(lines)} do not fit: a cell with quotes begins and ends with one, and has "" for one within. Mend it, and send the file again.`,
      error,
    );
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

interface Head {
  readonly columns: readonly (Column | null)[];
  readonly names: ColumnNames;
  readonly ignoredColumns: readonly string[];
}

function readHeader(cells: readonly string[]): Head {
  if (cells.length > MAX_COLUMNS)
    throw invalid(`The file has more than ${MAX_COLUMNS} columns. Leave out some, and send it again.`);
  const columns = cells.map((cell) => NAMES.get(cell.toLowerCase().replaceAll(/[\s_-]/g, '')) ?? null);
  const named = columns.filter((column) => column !== null);
  const missing = REQUIRED.filter((column) => !named.includes(column));
  if (missing.length > 0) throw invalid(`The ${describeColumns(missing)} missing. ${HEADER_HELP}`);
  const twice = named.find((column, index) => named.indexOf(column) !== index);
  if (twice !== undefined) throw invalid(`Two columns are ${twice}. Leave one out.`);
  const ignoredColumns = cells.flatMap((cell, index) =>
    columns[index] === null && cell !== '' ? cell.slice(0, MAX_NAME) : [],
  );
  const names = Object.fromEntries(
    columns.flatMap((column, index) => (column === null ? [] : [[column, cells[index]]])),
  );
  return { columns, names, ignoredColumns };
}

function describeColumns(names: readonly string[]): string {
  const last = names.at(-1);
  return names.length === 1
    ? `column ${last} is`
    : `columns ${names.slice(0, -1).join(', ')} and ${last} are`;
}

function toValue(
  { columns, names }: Head,
  cells: readonly string[],
  delimiter: string,
): { value: object } | { refusal: string } {
  if (cells.slice(columns.length).some((cell) => cell !== ''))
    return {
      refusal: 'The row has more cells than the header. Put a cell with the separator in it between quotes.',
    };
  const fields: Partial<Record<Column, string>> = {};
  for (const [index, column] of columns.entries())
    if (column !== null && cells[index]) fields[column] = cells[index];
  const { amount, currency, ...key } = fields;
  const missing = REQUIRED.find((column) => fields[column] === undefined);
  if (missing !== undefined) return { refusal: `${names[missing]} is missing.` };
  if (delimiter !== ',' && /^\d{1,12}[.,]\d{3}$/.test(amount ?? ''))
    return {
      refusal: `${names.amount}: “${amount}” can be read in two ways. Write it without separators of thousands, or with two decimals.`,
    };
  const decimal = delimiter === ',' ? amount : amount?.replace(/^(\d+),(\d+)$/, '$1.$2');
  return { value: { ...key, cost: { amount: decimal, currency: currency?.toUpperCase() } } };
}

const FIELDS: readonly (readonly [start: string, column: Column])[] = [
  ['date ', 'date'],
  ['campaignId ', 'campaignId'],
  ['network ', 'network'],
  ['networkCampaignId ', 'networkCampaignId'],
  ['cost.amount ', 'amount'],
  ['cost.currency ', 'currency'],
];
const MAX_SHOWN = 64;

/** What is wrong with a row, with the file's own name of the column and what its cell has. */
export function inColumns(names: ColumnNames, value: unknown, message: string): string {
  const [start, column] = FIELDS.find(([start]) => message.startsWith(start)) ?? [];
  if (start === undefined || column === undefined || !/ must | contains | is more /.test(message))
    return message;
  const { cost, ...others } = value as { cost: Record<string, string> } & Record<string, string>;
  const cell = { ...others, ...cost }[column] ?? '';
  const shown = cell.length > MAX_SHOWN ? `${cell.slice(0, MAX_SHOWN)}…` : cell;
  const rule = message.slice(start.length).replace(/^must be /, 'is not ');
  return `${names[column]}: “${shown}” ${rule}`;
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('request.invalid', { message, cause });
}
