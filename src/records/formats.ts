/** Formats of an export: text, in pieces. */
import type { TObject, TSchema } from 'typebox';
import { toCsvLines } from '../server/csv.ts';

/** Records of an export, in order. */
export type RecordChunks = AsyncIterable<readonly object[]>;

export async function* toNdjson(records: RecordChunks): AsyncGenerator<string> {
  for await (const items of records) yield items.map((item) => `${JSON.stringify(item)}\n`).join('');
}

/** With a header, also without records. @param item schema of a record. */
export async function* toCsv(item: TObject, records: RecordChunks): AsyncGenerator<string> {
  const columns = Object.keys(columnsOf(item));
  yield `${columns.join(',')}\n`;
  for await (const items of records)
    yield toCsvLines(
      items.map((record) => {
        const fields = divide(record);
        return columns.map((column) => toCell(fields[column]));
      }),
    );
}

/** The schema of each column of items with a schema; the names are those of `divide`. */
export function columnsOf({ properties }: TObject): Readonly<Record<string, TSchema>> {
  const parts = Object.entries(properties).map(([name, schema]) => [
    name,
    DIVIDED.has(name) ? (schema as TObject).properties : schema,
  ]);
  return divide(Object.fromEntries(parts)) as Record<string, TSchema>;
}

/** Objects with a column for each of their fields. */
const DIVIDED: ReadonlySet<string> = new Set(['utm', 'revenue', 'network', 'actor', 'resource']);

/** `utm.source` becomes `utmSource`. Without columns for a divided field that is null. */
export function divide(item: object): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item) as [string, object | null][])
    if (DIVIDED.has(name))
      for (const [part, inner] of Object.entries(value ?? {})) fields[name + capitalised(part)] = inner;
    else fields[name] = value;
  return fields;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function toCell(value: unknown): string | number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
