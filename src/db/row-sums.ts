/** Groups inserted rows by the key of their count, so that each count is written once. */
import { chunks } from '../lib/chunks.ts';
import { readRow, type TextRow } from './row-text.ts';
import type { CountedBy, RowCounts } from './store.ts';

/** Source of a key value: a field of the row, by index, or a constant. */
type KeyPart = { index: number; as: 'value' | 'value or empty' | 'minute' } | { is: string | number };

type KeyValue = string | number | null;

/** `RowCounts` for given columns; serializable for the writer thread. */
export interface CountPlan {
  readonly table: string;
  /** The columns of a list: what its rows have in common, and the list. */
  readonly columns: readonly [by: string, list: string];
  /** `by`, then the values of an item. */
  readonly key: readonly KeyPart[];
}

/** @param columns in the order of the rows' values. */
export function planCounts({ table, by, list, key }: RowCounts, columns: readonly string[]): CountPlan {
  return { table, columns: [by, list], key: [{ column: by }, ...key].map((part) => toPart(part, columns)) };
}

function toPart(by: CountedBy, columns: readonly string[]): KeyPart {
  if ('is' in by) return by;
  if ('minuteOf' in by) return { index: columns.indexOf(by.minuteOf), as: 'minute' };
  return { index: columns.indexOf(by.column), as: by.orEmpty ? 'value or empty' : 'value' };
}

/** Bounds the bytes of a list. */
const MAX_ITEMS = 500;

/** Escaped in rows, hence unambiguous. */
const SEPARATOR = '\t';

/** Groups rows by slices of their text; parsing every row takes four times as long. */
export class RowSums {
  readonly #key: readonly KeyPart[];
  /** How the key uses each field, up to the last field that it uses. */
  readonly #fields: readonly ('all' | 'minute' | 'nothing')[];
  /** By the text of the key's fields: the first row and the number of rows. */
  readonly #groups = new Map<string, { line: string; rows: number }>();

  constructor({ key }: CountPlan) {
    this.#key = key;
    const indexes = key.flatMap((part) => ('index' in part ? [part.index] : []));
    this.#fields = Array.from({ length: Math.max(...indexes) + 1 }, (_, index) => useOf(key, index));
  }

  /** @param line a row as `toRowText` writes it. */
  add(line: string): void {
    const text = this.#keyTextOf(line);
    const group = this.#groups.get(text);
    if (group === undefined) this.#groups.set(text, { line, rows: 1 });
    else group.rows += 1;
  }

  /** The values of the plan's columns: lists of at most `MAX_ITEMS`. */
  *lists(): Generator<[by: KeyValue, list: string]> {
    for (const [by, counts] of Map.groupBy(this.#counts(), ([by]) => by ?? null))
      for (const part of chunks(counts, MAX_ITEMS))
        yield [by, JSON.stringify(part.map(([, ...item]) => item))];
  }

  /** The values of each key, followed by the number of rows. */
  #counts(): Iterable<KeyValue[]> {
    const counts = new Map<string, KeyValue[]>();
    for (const { line, rows } of this.#groups.values()) {
      const row = readRow(line);
      const key = this.#key.map((part) => keyValue(part, row));
      // Null and empty text may be the same key.
      const text = JSON.stringify(key);
      const before = Number(counts.get(text)?.at(-1) ?? 0);
      counts.set(text, [...key, before + rows]);
    }
    return counts.values();
  }

  #keyTextOf(line: string): string {
    let text = '';
    let start = 0;
    for (const use of this.#fields) {
      const tab = line.indexOf('\t', start);
      const end = tab === -1 ? line.length : tab;
      if (use === 'all') text += line.slice(start, end) + SEPARATOR;
      else if (use === 'minute')
        text += line.slice(start, Math.min(end, start + MINUTE_CHARACTERS)) + SEPARATOR;
      start = end + 1;
    }
    return text;
  }
}

const MINUTE_CHARACTERS = 'YYYY-MM-DDTHH:MM'.length;

function useOf(key: readonly KeyPart[], index: number): 'all' | 'minute' | 'nothing' {
  const uses = key.flatMap((part) => ('index' in part && part.index === index ? [part.as] : []));
  if (uses.length === 0) return 'nothing';
  return uses.every((use) => use === 'minute') ? 'minute' : 'all';
}

function keyValue(part: KeyPart, row: TextRow): KeyValue {
  if ('is' in part) return part.is;
  const value = row[part.index] ?? null;
  if (part.as === 'minute') return value === null ? null : value.slice(0, MINUTE_CHARACTERS);
  return value === null && part.as === 'value or empty' ? '' : value;
}
