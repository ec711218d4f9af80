/** The thread that owns SQLite's read-only connection; runs one statement at a time. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls } from '../../lib/thread-calls.ts';
import { BUSY_TIMEOUT_MS, bindable, statementCache } from './statements.ts';

/** The thread's operations; `SqliteReader` calls them. */
export type ReaderOperations = {
  all(sql: string, parameters: readonly unknown[]): ReadRows;
  close(): void;
};

/** Rows as arrays: the main thread takes objects out of a message more slowly. */
export interface ReadRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

if (parentPort === null) throw new Error('this file runs as a worker thread');

const { path } = workerData as { path: string };
const db = new DatabaseSync(path, { readOnly: true });
db.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
const prepared = statementCache(db);

const operations: ReaderOperations = {
  all(sql, parameters) {
    const statement = prepared(sql);
    statement.setReturnArrays(true);
    const rows = statement.all(...bindable(parameters)) as unknown as unknown[][];
    // Not cached, and after the rows: a migration changes what `*` stands for.
    return { columns: rows.length === 0 ? [] : statement.columns().map(({ name }) => name), rows };
  },
  close: () => db.close(),
};

answerCalls(parentPort, operations);
