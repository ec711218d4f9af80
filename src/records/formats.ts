/** Formats of an export: text, in pieces. */
import type { TObject } from 'typebox';
import { toCsvLines } from '../server/csv.ts';

export async function* toNdjson(chunks: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const items of chunks) yield items.map((item) => `${JSON.stringify(item)}\n`).join('');
}

/** With a header, also without records. */
export async function* toCsv(
  columns: readonly string[],
  chunks: AsyncIterable<readonly object[]>,
): AsyncGenerator<string> {
  yield `${columns.join(',')}\n`;
  for await (const items of chunks)
    yield toCsvLines(
      items.map((item) => {
        const cells = flatten(item);
        return columns.map((column) => cells[column]);
      }),
    );
}

/** The columns of items with a schema, as `flatten` names them. */
export function columnsOf({ properties }: TObject): string[] {
  return Object.entries(properties).flatMap(([name, schema]) =>
    DIVIDED.has(name) ? partsOf(schema).map((part) => name + capitalised(part)) : [name],
  );
}

/** Objects with a column for each of their fields; others are JSON. */
const DIVIDED: ReadonlySet<string> = new Set(['utm', 'revenue']);

function partsOf(schema: unknown): string[] {
  return Object.keys((schema as { properties: object }).properties);
}

/** `utm.source` becomes `utmSource`. */
export function flatten(item: object): Record<string, string | number | null> {
  const flat: Record<string, string | number | null> = {};
  for (const [name, value] of Object.entries(item))
    if (DIVIDED.has(name)) {
      for (const [part, text] of Object.entries((value ?? {}) as Record<string, string | null>))
        flat[name + capitalised(part)] = text;
    } else flat[name] = toCell(value);
  return flat;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function toCell(value: unknown): string | number | null {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
