/** The thread that owns SQLite's writing connection. It answers one request after the other. */
import { openSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type CountPlan, RowSums } from '../row-sums.ts';
import { linesOf, readRow } from '../row-text.ts';
import type { PageCounts } from './free-pages.ts';
import { BUSY_TIMEOUT_MS, bindable, statementCache } from './statements.ts';
import { clearLeftovers, findLeftovers } from './unallocated-space.ts';

/** What the thread is asked, beside the number of the request: see `WriterTurn`. */
export type WriterRequest =
  | { op: 'ping' | 'close' }
  | { op: 'run'; sql: string; parameters: readonly unknown[] }
  | { op: 'runGroup'; group: readonly Transaction[] }
  | { op: 'runForRows'; sql: string; texts: readonly Uint8Array[]; counts: CountPlan | null }
  | { op: 'findLeftovers'; firstPage: number }
  | { op: 'clearLeftovers'; pages: readonly number[] }
  | { op: 'returnPages'; count: number }
  | { op: 'makeShrinkable'; maxUsedPages: number };

/** Parameters stand in the order of the statement's question marks. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Statements that are all run or none. */
export type Transaction = readonly Statement[];

/** Of a transaction: the place of the statement that changed no row, null where all is stored, or what went wrong. */
export type Outcome = { failed: number | null } | { error: Fault };

/** An error as it gets from one thread to the other; `toError` makes one of it again. */
export interface Fault {
  readonly message: string;
  readonly errcode: number | undefined;
}

/** The reply to the request of that number. What is no row, such as an outcome, comes as one too. */
export type WriterReply = { id: number; rows: unknown[]; changes: number } | { id: number; error: Fault };

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');

const utf8 = new TextDecoder();
const { path } = workerData as { path: string };
let { db, prepared } = openDatabase();
/** Never closed by itself: a process that closes a file loses all its locks on it, SQLite's too. */
let file: number | null = null;

port.on('message', (message: WriterRequest & { id: number }) => {
  try {
    port.postMessage({ id: message.id, ...answer(message) });
  } catch (error) {
    port.postMessage({ id: message.id, error: toFault(error) });
  }
});

function toFault(error: unknown): Fault {
  const { message, errcode } = error as Error & { errcode?: number };
  return { message, errcode };
}

function answer(request: WriterRequest): { rows: unknown[]; changes: number } {
  // It could not be opened anew (`clear`), for want of file handles say: that is tried again.
  if (!db.isOpen) ({ db, prepared } = openDatabase());
  if (request.op === 'run') return run(request.sql, request.parameters);
  if (request.op === 'runGroup') return { rows: runGroup(request.group), changes: 0 };
  if (request.op === 'findLeftovers')
    return { rows: [findLeftovers(theFile(), request.firstPage)], changes: 0 };
  if (request.op === 'clearLeftovers') return { rows: [clear(request.pages)], changes: 0 };
  if (request.op === 'returnPages') return { rows: [returnPages(request.count)], changes: 0 };
  if (request.op === 'makeShrinkable') return { rows: [makeShrinkable(request.maxUsedPages)], changes: 0 };
  if (request.op === 'runForRows') runForRows(request);
  if (request.op === 'close') close();
  return { rows: [], changes: 0 };
}

function openDatabase() {
  const opened = new DatabaseSync(path);
  // FULL: a commit is on disk before it is answered. The log is written into the file little by little: 80 MB at once had
  // the journal's small writes wait for 0.1 s and more. The larger cache keeps index pages in memory under load.
  opened.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma busy_timeout = ${BUSY_TIMEOUT_MS};
    pragma foreign_keys = on;
    pragma secure_delete = on;
    pragma wal_autocheckpoint = 1000;
    pragma cache_size = -32768;
  `);
  return { db: opened, prepared: statementCache(opened) };
}

function run(sql: string, parameters: readonly unknown[]): { rows: unknown[]; changes: number } {
  const statement = prepared(sql);
  if (statement.columns().length > 0) {
    const rows = statement.all(...bindable(parameters));
    return { rows, changes: rows.length };
  }
  return { rows: [], changes: Number(statement.run(...bindable(parameters)).changes) };
}

/** Commits transactions as one, so that the disk is waited for once. Those that fail are undone by themselves. */
function runGroup(group: readonly Transaction[]): Outcome[] {
  return inTransaction(() => group.map(runOne));
}

function runOne(statements: Transaction): Outcome {
  prepared('savepoint one').run();
  try {
    const failed = statements.findIndex(({ sql, parameters }) => run(sql, parameters).changes === 0);
    if (failed !== -1) prepared('rollback to one').run();
    prepared('release one').run();
    return { failed: failed === -1 ? null : failed };
  } catch (error) {
    // Of some faults, such as a full disk, SQLite undoes the others too.
    if (!db.isTransaction) throw error;
    prepared('rollback to one').run();
    prepared('release one').run();
    return { error: toFault(error) };
  }
}

function runForRows({ sql, texts, counts }: Extract<WriterRequest, { op: 'runForRows' }>): void {
  const statement = prepared(sql);
  const sums = counts === null ? null : new RowSums(counts);
  let rows = 0;
  inTransaction(() => {
    for (const text of texts)
      for (const line of linesOf(utf8.decode(text))) {
        if (statement.run(...readRow(line)).changes > 0) sums?.add(line);
        rows += 1;
        if (rows % ROWS_AT_A_STRETCH === 0) giveWay();
      }
    if (counts === null || sums === null) return;
    const add = prepared(addingStatement(counts));
    for (const count of sums.counts()) add.run(...count);
  });
}

const ROWS_AT_A_STRETCH = 200;
const GIVE_WAY_MS = 0.05;
const nobodyWakes = new Int32Array(new SharedArrayBuffer(4));

/** Who stands in line for this thread's core goes first: a thread that does not sleep keeps it for milliseconds. */
function giveWay(): void {
  Atomics.wait(nobodyWakes, 0, 0, GIVE_WAY_MS);
}

/** Adds to one count: its parameters are the values of the key, then how many. */
function addingStatement({ table, keyColumns, sum }: CountPlan): string {
  const key = keyColumns.join(', ');
  return `insert into ${table} (${key}, ${sum}) values (${[...keyColumns, sum].map(() => '?').join(', ')})
    on conflict (${key}) do update set ${sum} = ${sum} + excluded.${sum}`;
}

/**
 * The connection is opened anew, since what its cache holds would be written with the next change of a page. Meanwhile
 * another one holds the lock on writing: a page that somebody outside changed at this moment would be damaged.
 * @returns false where somebody outside writes, or wrote after the log was emptied.
 */
function clear(pages: readonly number[]): boolean {
  db.close();
  const guard = new DatabaseSync(path);
  try {
    if (!locksWriting(guard) || statSync(`${path}-wal`).size > 0) return false;
    clearLeftovers(theFile(), pages);
    return true;
  } finally {
    guard.close();
    ({ db, prepared } = openDatabase());
  }
}

const SQLITE_BUSY = 5;

function locksWriting(guard: DatabaseSync): boolean {
  try {
    guard.exec('begin immediate');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

/** SQLite's number for `auto_vacuum = incremental`. */
const INCREMENTAL = 2;

/** `exec` runs the pragma to its end; a prepared statement frees one page a step. */
function returnPages(count: number): PageCounts {
  if (count > 0) db.exec(`pragma incremental_vacuum(${count})`);
  const canShrink = numberOf('auto_vacuum') === INCREMENTAL;
  return { all: numberOf('page_count'), free: canShrink ? numberOf('freelist_count') : 0 };
}

function numberOf(pragma: 'page_count' | 'freelist_count' | 'auto_vacuum'): number {
  return Number(prepared(`pragma ${pragma}`).get()?.[pragma]);
}

/** The order is SQLite's: the setting first, which the rewritten file then has. */
function makeShrinkable(maxUsedPages: number): boolean {
  if (numberOf('auto_vacuum') === INCREMENTAL) return false;
  if (numberOf('page_count') - numberOf('freelist_count') > maxUsedPages) return true;
  db.exec('pragma auto_vacuum = incremental; vacuum; pragma wal_checkpoint(truncate)');
  return false;
}

function theFile(): number {
  file ??= openSync(path, 'r+');
  return file;
}

/** Commits, unless `work` has rolled back. */
function inTransaction<T>(work: () => T): T {
  db.exec('begin immediate');
  try {
    const outcome = work();
    if (db.isTransaction) db.exec('commit');
    return outcome;
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

function close(): void {
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
}
