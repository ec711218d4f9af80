import { unmarked } from '../../server/csv.ts';

import { shownAddress } from './addresses.ts';

import { type Columns, createColumns } from './columns.ts';
import { type CsvRow, createCsvRows } from './csv-rows.ts';
import { Draft } from './draft.ts';
import { createFileText } from './file-text.ts';
import { finishRow } from './finish-row.ts';
import {
  type ImportedRow,
  ImportFileError,
  type ImportFormat,
  type ImportReader,
  type ImportSource,
} from './imported-row.ts';
import { createJsonItems, type JsonItem, jsonText } from './json-items.ts';
import { nameKey, type Source } from './source.ts';
import { SOURCES } from './sources/index.ts';
import { RowFailure, saysYes, shown, textOf, Values } from './values.ts';

interface ReaderOptions {
  readonly source: ImportSource;
  readonly format: ImportFormat;
  /** Names of columns by field of the source: nothing else is read then. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
}

/** Of a link, about names that are not known. */
const MAX_NOTES = 20;
/** Of a value that is kept for the report. */
const MAX_RAW_CHARACTERS = 16 * 1024;

/** Reads a file of links in pieces. @throws ImportFileError for `columns` with an unknown field. */
export function createReader({ source: id, format, columns: chosen }: ReaderOptions): ImportReader {
  const source = SOURCES[id];
  const columns = createColumns(source, chosen);
  const text = createFileText();
  const toRows = { source, columns };
  const rows = format === 'csv' ? createCsvReader(toRows, chosen) : createJsonReader(toRows);
  let isEmpty = true;

  function take(taken: ImportedRow[]): ImportedRow[] {
    isEmpty &&= taken.length === 0;
    return taken;
  }

  return {
    columns: columns.fields,
    write: (chunk) => take(rows.write(text.write(chunk))),
    end() {
      const last = take([...rows.write(text.end()), ...rows.end()]);
      if (isEmpty) throw new ImportFileError('The file has no links. Export it again.');
      return last;
    },
  };
}

interface ToRows {
  readonly source: Source;
  readonly columns: Columns;
}

function createCsvReader(to: ToRows, chosen: Readonly<Record<string, string>> | undefined) {
  const rows = createCsvRows();
  let header: readonly string[] | null = null;

  function readHeader({ cells }: CsvRow): void {
    const names = cells.map((cell, index) => unmarked(cell).trim() || `column ${index + 1}`);
    const absent = Object.values(chosen ?? {}).find(
      (name) => !names.some((own) => nameKey(own) === nameKey(name)),
    );
    if (absent !== undefined)
      throw new ImportFileError(`The file has no column “${absent}”. It has: ${names.join(', ')}.`);
    to.columns.check(names);
    header = names;
  }

  function toImported(row: CsvRow): ImportedRow[] {
    if (header === null) {
      readHeader(row);
      return [];
    }
    const { line } = row;
    // Dub marks formulas too, and so does the file of failures.
    const cells = row.cells.map(unmarked);
    const names = header;
    if (cells.length > names.length && cells.slice(names.length).some((cell) => cell.trim() !== ''))
      return [
        {
          line,
          raw: rawOf(to, names, cells),
          failure:
            'The row has more cells than the header. Put a cell with the separator in it between quotes.',
          oldAddress: firstAddress(to, names, cells),
        },
      ];
    return toLinks(to, { line, names, values: cells.map(cellValue), raw: rawOf(to, names, cells) });
  }

  return {
    write: (text: string) => rows.write(text).flatMap(toImported),
    end: () => rows.end().flatMap(toImported),
  };
}

/** Of a row whose cells may have moved: the first one alone is surely where its column is. */
function firstAddress(
  { source, columns }: ToRows,
  [name = '']: readonly string[],
  [cell = '']: readonly string[],
) {
  const column = columns.of(name);
  const isAddress = column.kind === 'field' && source.required[0]?.includes(column.field);
  return isAddress ? shownAddress(cell.trim()) : '';
}

/** Undefined for an empty cell. */
function cellValue(cell: string): string | undefined {
  return cell.trim() || undefined;
}

function createJsonReader(to: ToRows) {
  const items = createJsonItems();
  let isChecked = false;

  function toImported(item: JsonItem): ImportedRow[] {
    const { line } = item;
    if ('text' in item)
      return [
        {
          line,
          raw: { json: item.text.slice(0, MAX_RAW_CHARACTERS) },
          failure: 'The line is no JSON object. Mend it, and send it again.',
        },
      ];
    const names = Object.keys(item.value);
    const refusal = errorOf(to, item.value);
    if (refusal !== null && !isChecked) throw new ImportFileError(`Line ${line}: ${refusal}`);
    if (refusal !== null)
      return [{ line, raw: rawOf(to, names, Object.values(item.value)), failure: refusal }];
    if (!isChecked) to.columns.check(names);
    isChecked = true;
    const values = Object.values(item.value).map((value) => value ?? undefined);
    return toLinks(to, { line, names, values, raw: rawOf(to, names, values) });
  }

  return {
    write: (text: string) => items.write(text).flatMap(toImported),
    end: () => items.end().flatMap(toImported),
  };
}

const ERROR_KEYS = ['error', 'errors', 'message', 'detail', 'code', 'title'];

/** What an answer with an error, saved in place of a page, costs; null for any other object. */
function errorOf({ source, columns }: ToRows, value: Readonly<Record<string, unknown>>): string | null {
  const fields = Object.keys(value).map((name) => {
    const column = columns.of(name);
    return column.kind === 'field' ? column.field : null;
  });
  const isLink = source.required.every((group) => group.some((field) => fields.includes(field)));
  const key = isLink ? undefined : ERROR_KEYS.slice(0, 4).find((name) => saysYes(value[name]));
  if (key === undefined) return null;
  const error = ERROR_KEYS.map((name) => textOf(value[name])).find((text) => text !== undefined);
  return `The service answered with an error${error === undefined ? '' : `, ${shown(error)},`} in place of links: a page is missing. Get that page again, and import the file again.`;
}

interface FileRow {
  readonly line: number;
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  readonly raw: Readonly<Record<string, string>>;
}

function toLinks(to: ToRows, { line, names, values, raw }: FileRow): ImportedRow[] {
  const { source, columns } = to;
  const draft = new Draft(source.id, source.name);
  try {
    const unknown: Parameters<typeof noteUnknown>[1][] = [];
    const fields = new Map<string, unknown>();
    for (const [index, name] of names.entries()) {
      const value = values[index];
      if (value === undefined) continue;
      const column = columns.of(name);
      if (column.kind === 'field' && !fields.has(column.field)) fields.set(column.field, value);
      else if (column.kind === 'field')
        draft.note(`${shown(name)} is not read: another column is ${column.field}.`);
      else if (column.kind === 'unknown') unknown.push({ name, value, mayProtect: column.mayProtect });
    }
    source.fill(draft, new Values(fields, columns.names));
    for (const column of unknown) noteUnknown(draft, column);
    return finishRow({ line, raw }, draft);
  } catch (error) {
    if (error instanceof RowFailure)
      return [
        {
          line,
          raw,
          failure: error.message,
          oldAddress: [...new Set(draft.addresses.map(shownAddress))].join(' '),
        },
      ];
    throw error;
  }
}

/** @throws RowFailure where the link may be protected or have ended: it must not become open. */
function noteUnknown(
  draft: Draft,
  { name, value, mayProtect }: { name: string; value: unknown; mayProtect: boolean },
): void {
  if (isEmpty(value)) return;
  if (mayProtect && saysYes(value))
    throw new RowFailure(
      `${shown(name)} is not known here, and may protect or end the link. Remove the column if it does not.`,
    );
  draft.note(draft.notes.size < MAX_NOTES ? `${shown(name)} is not read.` : 'Other fields are not read.');
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** In the file's own columns, but those about people. */
function rawOf(
  { columns }: ToRows,
  names: readonly string[],
  values: readonly unknown[],
): Record<string, string> {
  const raw: Record<string, string> = {};
  for (const [index, name] of names.entries())
    if (columns.of(name).kind !== 'person') raw[name] = rawText(values[index]);
  return raw;
}

function rawText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : jsonText(value).slice(0, MAX_RAW_CHARACTERS);
}
