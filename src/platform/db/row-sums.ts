/** Adds up rows as they are inserted, so that each count is written once for all of them. */
import type { TextRow } from './row-text.ts';
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

/** No text in a database holds it. */
const BETWEEN = '\0';

export class RowSums {
  readonly #key: readonly KeyPart[];
  /** The parts in which rows differ. */
  readonly #differing: readonly KeyPart[];
  readonly #sums = new Map<string, { key: KeyValue[]; rows: number }>();

  constructor({ key }: CountPlan) {
    this.#key = key;
    this.#differing = key.filter((part) => 'place' in part);
  }

  add(row: TextRow): void {
    let text = '';
    for (const part of this.#differing) text += keyValue(part, row) + BETWEEN;
    const known = this.#sums.get(text);
    if (known === undefined)
      this.#sums.set(text, { key: this.#key.map((part) => keyValue(part, row)), rows: 1 });
    else known.rows += 1;
  }

  /** Each count's key and, after it, how many. */
  *counts(): Generator<KeyValue[]> {
    for (const { key, rows } of this.#sums.values()) yield [...key, rows];
  }
}

function keyValue(part: KeyPart, row: TextRow): KeyValue {
  if ('is' in part) return part.is;
  const value = row[part.place] ?? null;
  if (part.how === 'day') return value === null ? null : value.slice(0, 'YYYY-MM-DD'.length);
  return value === null && part.how === 'or empty' ? '' : value;
}
