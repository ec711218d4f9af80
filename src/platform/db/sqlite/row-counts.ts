/** Adds up rows as they are inserted, so that each count is written once for all of them. */
import type { SQLInputValue } from 'node:sqlite';
import type { CountedBy, RowCounts } from '../store.ts';

type Row = readonly SQLInputValue[];

/** Where a value of the key is in a row. */
type KeyPart = { place: number; how: 'as it is' | 'or empty' | 'day' } | { is: string | number };

/** What the writer's thread is told of a count. */
export interface CountPlan {
  /** Adds to one count: its parameters are the values of the key, then how many. */
  readonly sql: string;
  readonly key: readonly KeyPart[];
}

/** @param columns of the rows, in their order. */
export function planCounts({ table, key, sum }: RowCounts, columns: readonly string[]): CountPlan {
  const keyColumns = Object.keys(key).join(', ');
  const values = [...Object.keys(key), sum].map(() => '?').join(', ');
  return {
    sql: `insert into ${table} (${keyColumns}, ${sum}) values (${values})
      on conflict (${keyColumns}) do update set ${sum} = ${sum} + excluded.${sum}`,
    key: Object.values(key).map((by) => toPart(by, columns)),
  };
}

function toPart(by: CountedBy, columns: readonly string[]): KeyPart {
  if ('is' in by) return by;
  if ('dayOf' in by) return { place: columns.indexOf(by.dayOf), how: 'day' };
  return { place: columns.indexOf(by.column), how: by.orEmpty ? 'or empty' : 'as it is' };
}

export class RowSums {
  readonly #key: readonly KeyPart[];
  readonly #sums = new Map<string, { key: SQLInputValue[]; rows: number }>();

  constructor({ key }: CountPlan) {
    this.#key = key;
  }

  add(row: Row): void {
    const key = this.#key.map((part) => keyValue(part, row));
    const text = JSON.stringify(key);
    const known = this.#sums.get(text);
    if (known === undefined) this.#sums.set(text, { key, rows: 1 });
    else known.rows += 1;
  }

  /** The parameters of each statement that is to be run. */
  *parameters(): Generator<SQLInputValue[]> {
    for (const { key, rows } of this.#sums.values()) yield [...key, rows];
  }
}

function keyValue(part: KeyPart, row: Row): SQLInputValue {
  if ('is' in part) return part.is;
  const value = row[part.place] ?? null;
  if (part.how === 'day') return String(value).slice(0, 'YYYY-MM-DD'.length);
  return value === null && part.how === 'or empty' ? '' : value;
}
