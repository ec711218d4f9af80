/** Adds up rows as they are inserted, so that each count is written once for all of them. */
import { readRow, type TextRow } from './row-text.ts';
import type { CountedBy, RowCounts } from './store.ts';

/** Where a value of the key is in a row. */
type KeyPart = { place: number; how: 'as it is' | 'or empty' | 'day' } | { is: string | number };

type KeyValue = string | number | null;

/** How rows are counted, as it can be told to another thread. */
export interface CountPlan {
  readonly table: string;
  readonly keyColumns: readonly string[];
  /** The column that the rows are added to. */
  readonly sum: string;
  readonly key: readonly KeyPart[];
}

/** @param columns of the rows, in their order. */
export function planCounts({ table, key, sum }: RowCounts, columns: readonly string[]): CountPlan {
  return {
    table,
    keyColumns: Object.keys(key),
    sum,
    key: Object.values(key).map((by) => toPart(by, columns)),
  };
}

function toPart(by: CountedBy, columns: readonly string[]): KeyPart {
  if ('is' in by) return by;
  if ('dayOf' in by) return { place: columns.indexOf(by.dayOf), how: 'day' };
  return { place: columns.indexOf(by.column), how: by.orEmpty ? 'or empty' : 'as it is' };
}

/** No row holds it as it is. */
const BETWEEN = '\t';

/** Adds up rows by their lines: to read each of them whole takes four times as long. */
export class RowSums {
  readonly #key: readonly KeyPart[];
  /** What the key has of each field, up to the last one that it has anything of. */
  readonly #fields: readonly ('all' | 'day' | 'nothing')[];
  /** Rows that are written alike where it counts: the first of them, and how many. */
  readonly #alike = new Map<string, { line: string; rows: number }>();

  constructor({ key }: CountPlan) {
    this.#key = key;
    const places = key.flatMap((part) => ('place' in part ? [part.place] : []));
    this.#fields = Array.from({ length: Math.max(...places) + 1 }, (_, place) => usedOf(key, place));
  }

  /** @param line a row as `toRowText` writes it. */
  add(line: string): void {
    const text = this.#keyTextOf(line);
    const known = this.#alike.get(text);
    if (known === undefined) this.#alike.set(text, { line, rows: 1 });
    else known.rows += 1;
  }

  /** Each count's key and, after it, how many. */
  counts(): Iterable<KeyValue[]> {
    const counts = new Map<string, KeyValue[]>();
    for (const { line, rows } of this.#alike.values()) {
      const row = readRow(line);
      const key = this.#key.map((part) => keyValue(part, row));
      // What is written in two ways may be of one key still.
      const text = JSON.stringify(key);
      const before = Number(counts.get(text)?.at(-1) ?? 0);
      counts.set(text, [...key, before + rows]);
    }
    return counts.values();
  }

  #keyTextOf(line: string): string {
    let text = '';
    let start = 0;
    for (const used of this.#fields) {
      const tab = line.indexOf('\t', start);
      const end = tab === -1 ? line.length : tab;
      if (used === 'all') text += line.slice(start, end) + BETWEEN;
      else if (used === 'day') text += line.slice(start, Math.min(end, start + DAY_CHARACTERS)) + BETWEEN;
      start = end + 1;
    }
    return text;
  }
}

const DAY_CHARACTERS = 'YYYY-MM-DD'.length;

function usedOf(key: readonly KeyPart[], place: number): 'all' | 'day' | 'nothing' {
  const uses = key.flatMap((part) => ('place' in part && part.place === place ? [part.how] : []));
  if (uses.length === 0) return 'nothing';
  return uses.every((how) => how === 'day') ? 'day' : 'all';
}

function keyValue(part: KeyPart, row: TextRow): KeyValue {
  if ('is' in part) return part.is;
  const value = row[part.place] ?? null;
  if (part.how === 'day') return value === null ? null : value.slice(0, DAY_CHARACTERS);
  return value === null && part.how === 'or empty' ? '' : value;
}
