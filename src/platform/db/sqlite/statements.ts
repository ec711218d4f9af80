import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';

/** For how long a statement waits for somebody outside who has the file. */
export const BUSY_TIMEOUT_MS = 5_000;

/** Prepared statements by their text, the least recently used dropped first. */
export function statementCache(db: DatabaseSync): (sql: string) => StatementSync {
  const statements = new LRUCache<string, StatementSync>({ max: 200 });
  return (sql) => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
}

/**
 * Refuses what `node:sqlite` would take for something else: an object as the first parameter is read as named
 * parameters, which shifts the others and stores null.
 */
export function bindable(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) => {
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
      return value;
    throw new TypeError(`SQLite takes text, numbers and null, not ${typeof value}`);
  });
}
