/** The thread that owns SQLite's writing connection; runs one operation at a time. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls, type SerializedError, serialize } from '../../lib/thread-calls.ts';
import { type CountPlan, RowSums } from '../row-sums.ts';
import { linesOf, readRow } from '../row-text.ts';
import { BUSY_TIMEOUT_MS, bindable, statementCache } from './statements.ts';

/** The thread's operations; `WriterSession` calls them. */
export type WriterOperations = {
  run(sql: string, parameters: readonly unknown[]): StatementResult;
  /** Commits transactions together with one sync. Each is all or nothing and sees the changes of those before it. */
  runGroup(group: readonly AtomicStatements[]): TransactionResult[];
  /**
   * Runs `sql` for every row, with its values as parameters, in one transaction.
   * @param texts see `Store.insertRowTexts`.
   * @param counts how to count the inserted rows.
   */
  runForRows(sql: string, texts: readonly Uint8Array[], counts: CountPlan | null): void;
  close(): void;
};

/** Parameters in the order of the statement's question marks. */
interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface StatementResult {
  readonly rows: unknown[];
  readonly changes: number;
}

/** Statements that run all or not at all; `rows` as in `Write`. */
export type AtomicStatements = readonly AtomicStatement[];

interface AtomicStatement extends Statement {
  readonly rows?: number | undefined;
  /** Runs the statement for each row, with its values as parameters. */
  readonly text?: string;
}

/** `failed` is the index of the first statement without its rows; null if the transaction is committed. */
export type TransactionResult = { failed: number | null } | { error: SerializedError };

if (parentPort === null) throw new Error('this file runs as a worker thread');

const utf8 = new TextDecoder();
const { path } = workerData as { path: string };
const db = openDatabase();
const prepared = statementCache(db);

const operations: WriterOperations = {
  run,
  runGroup: (group) => inTransaction(() => group.map(runTransaction)),
  runForRows,
  close() {
    try {
      db.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // On a full disk the log stays, which the next start reads.
    }
    db.close();
  },
};

answerCalls(parentPort, operations);

function openDatabase(): DatabaseSync {
  const opened = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  // FULL: a commit is on disk before the reply. Small checkpoints: one of 80 MB delays other writes to the disk by 0.1 s;
  // at 8 MB, pages of indexes are written less often than at 4 MB.
  // The larger cache keeps index pages in memory under load.
  opened.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma secure_delete = on;
    pragma wal_autocheckpoint = 2000;
    pragma cache_size = -32768;
  `);
  return opened;
}

function run(sql: string, parameters: readonly unknown[]): StatementResult {
  const statement = prepared(sql);
  if (statement.columns().length > 0) {
    const rows = statement.all(...bindable(parameters));
    return { rows, changes: rows.length };
  }
  return { rows: [], changes: Number(statement.run(...bindable(parameters)).changes) };
}

/** A savepoint, so that a failed transaction does not roll back the others of its group. */
function runTransaction(statements: AtomicStatements): TransactionResult {
  prepared('savepoint one').run();
  try {
    const failed = statements.findIndex(({ sql, parameters, rows, text }) => {
      const changes = text === undefined ? run(sql, parameters).changes : runForEach(sql, linesOf(text));
      return changes !== (rows ?? Math.max(changes, 1));
    });
    if (failed !== -1) prepared('rollback to one').run();
    prepared('release one').run();
    return { failed: failed === -1 ? null : failed };
  } catch (error) {
    // After some errors, such as a full disk, SQLite has rolled back the whole group.
    if (!db.isTransaction) throw error;
    prepared('rollback to one').run();
    prepared('release one').run();
    return { error: serialize(error) };
  }
}

function runForRows(sql: string, texts: readonly Uint8Array[], counts: CountPlan | null): void {
  const sums = counts === null ? null : new RowSums(counts);
  inTransaction(() => {
    for (const text of texts) runForEach(sql, linesOf(utf8.decode(text)), sums);
    if (counts === null || sums === null) return;
    const add = prepared(`insert into ${counts.table} (${counts.columns.join(', ')}) values (?, ?)`);
    for (const list of sums.lists()) add.run(...list);
  });
}

/** @returns how many rows changed something. */
function runForEach(sql: string, lines: readonly string[], sums: RowSums | null = null): number {
  const statement = prepared(sql);
  let changed = 0;
  for (const [index, line] of lines.entries()) {
    if (statement.run(...readRow(line)).changes > 0) {
      changed += 1;
      sums?.add(line);
    }
    if ((index + 1) % ROWS_BETWEEN_YIELDS === 0) yieldCore();
  }
  return changed;
}

const ROWS_BETWEEN_YIELDS = 200;
const YIELD_MS = 0.05;
const neverNotified = new Int32Array(new SharedArrayBuffer(4));

/** Lets another thread run on this thread's core, which the scheduler would otherwise do only after milliseconds. */
function yieldCore(): void {
  Atomics.wait(neverNotified, 0, 0, YIELD_MS);
}

/** `isTransaction` is false after errors for which SQLite rolls back by itself. */
function inTransaction<T>(work: () => T): T {
  db.exec('begin immediate');
  try {
    const result = work();
    if (db.isTransaction) db.exec('commit');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}
