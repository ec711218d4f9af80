import { DatabaseSync } from 'node:sqlite';
import type { FailingStatements } from './failing-statements.ts';
import { BUSY_TIMEOUT_MS, bindable, statementCache } from './statements.ts';

/** A read-only connection on this thread. A read of a few rows takes microseconds, less than a trip to another thread. */
export interface SqliteReader {
  all(sql: string, parameters: readonly unknown[]): unknown[];
  close(): void;
}

/** @throws where there is no such file: it is the writer that makes it. */
export function openReader(path: string, failing: FailingStatements): SqliteReader {
  const db = new DatabaseSync(path, { readOnly: true });
  db.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  const prepared = statementCache(db);
  return {
    all(sql, parameters) {
      try {
        const rows = prepared(sql).all(...bindable(parameters));
        failing.succeeded(sql);
        return rows;
      } catch (error) {
        failing.failed(sql, error);
        throw error;
      }
    },
    close: () => db.close(),
  };
}
