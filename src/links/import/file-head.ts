/** What the beginning of a file says before the file is sent. Pure: the console reads it in the browser. */
import { createColumns } from './columns.ts';
import { type CsvRow, createCsvRows } from './csv-rows.ts';
import { createFileText } from './file-text.ts';
import { ImportFileError, type ImportFormat, type ImportSource } from './imported-row.ts';
import { createJsonItems, jsonText } from './json-items.ts';
import { SOURCES } from './sources/index.ts';

/** Of a file, enough for its header and some rows. */
export const HEAD_BYTES = 64 * 1024;
const MAX_EXAMPLE_CHARACTERS = 80;
const JSON_START = /^\s*[{[]/;

interface HeadColumn {
  /** As in the file. */
  readonly name: string;
  /** The first value, cut; empty where the first rows have none. */
  readonly example: string;
  /** What an import takes it for by itself; null for nothing. */
  readonly field: string | null;
  /** Not known, with a name like that of a password, a limit or an end. */
  readonly mayProtect: boolean;
}

export interface FileHead {
  readonly format: ImportFormat;
  /** Empty where the beginning has no whole row. */
  readonly columns: readonly HeadColumn[];
  /** Why an import would refuse these columns, and whose they are instead. */
  readonly problem: { readonly message: string; readonly rightful: ImportSource | null } | null;
}

/** Fields of plain tables, and those of which a file has one each. */
export const TABLE_FIELDS = Object.keys(SOURCES.csv.fields);
export const REQUIRED_FIELDS = SOURCES.csv.required;

/**
 * @param isWhole whether these are all bytes of the file.
 * @throws ImportFileError for what is no table and no JSON, or has no row.
 */
export function readHead(
  bytes: Uint8Array,
  { source, isWhole }: { source: ImportSource; isWhole: boolean },
): FileHead {
  const file = createFileText();
  const text = file.write(bytes) + (isWhole ? file.end() : '');
  const format = JSON_START.test(text) ? 'ndjson' : 'csv';
  const rows = format === 'csv' ? rowsOfTable(text, isWhole) : rowsOfJson(text, isWhole);
  if (isWhole && rows.values.length === 0)
    throw new ImportFileError('The file has no links. Export it again.');
  const columns = createColumns(SOURCES[source]);
  const problem = rows.names.length === 0 ? null : problemOf(() => columns.check(rows.names));
  return {
    format,
    problem,
    columns: rows.names.map((name, index) => {
      const column = columns.of(name);
      return {
        name,
        example: exampleOf(rows.values, index),
        field: column.kind === 'field' ? column.field : null,
        mayProtect: column.kind === 'unknown' && column.mayProtect,
      };
    }),
  };
}

interface FirstRows {
  readonly names: readonly string[];
  readonly values: readonly (readonly unknown[])[];
}

function rowsOfTable(text: string, isWhole: boolean): FirstRows {
  const reader = createCsvRows();
  const rows: CsvRow[] = reader.write(text);
  if (isWhole) rows.push(...reader.end());
  const [header, ...others] = rows;
  const names = (header?.cells ?? []).map((cell, index) => cell.trim() || `column ${index + 1}`);
  return { names, values: others.map(({ cells }) => cells) };
}

function rowsOfJson(text: string, isWhole: boolean): FirstRows {
  const reader = createJsonItems();
  const items = reader.write(text);
  if (isWhole) items.push(...reader.end());
  const objects = items.flatMap((item) => ('value' in item ? [item.value] : []));
  const names = Object.keys(objects[0] ?? {});
  return { names, values: objects.map((object) => names.map((name) => object[name])) };
}

function problemOf(check: () => void): FileHead['problem'] {
  try {
    check();
    return null;
  } catch (error) {
    if (!(error instanceof ImportFileError)) throw error;
    return { message: error.message, rightful: error.rightful };
  }
}

function exampleOf(rows: FirstRows['values'], index: number): string {
  const value = rows
    .map((row) => row[index])
    .find((each) => each !== undefined && each !== null && each !== '');
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value.trim() : jsonText(value);
  return text.length > MAX_EXAMPLE_CHARACTERS ? `${text.slice(0, MAX_EXAMPLE_CHARACTERS)}…` : text;
}
