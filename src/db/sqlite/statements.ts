import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';

/** How long a statement waits for a lock of another program. */
export const BUSY_TIMEOUT_MS = 5_000;

/** Caches prepared statements by their text. */
export function statementCache(db: DatabaseSync): (sql: string) => StatementSync {
  const statements = new LRUCache<string, StatementSync>({ max: 200 });
  return (sql) => {
    const cached = statements.get(sql);
    if (cached !== undefined) return cached;
    const statement = db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
}

/**
 * Rejects objects: `node:sqlite` takes one as the first parameter for named parameters, shifts the others and stores
 * null.
 */
export function bindable(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) => {
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
      return value;
    throw new TypeError(`Invalid SQLite parameter of type ${typeof value}`);
  });
}
