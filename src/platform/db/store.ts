import type { Compilable, Expression, Insertable, Kysely, SqlBool } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { GoOn } from '../loop.ts';
import type { ClickAddress, StoredClick } from './clicks-from-address.ts';
import type { PartitionedTable } from './partitioned-tables.ts';
import type { Tables } from './tables.ts';

/** Where queries run: the database, or a transaction on it. */
export type Db = Kysely<Tables>;

/** Column types that the two engines spell differently; migrations take them from here. */
export interface ColumnTypes {
  readonly engine: 'sqlite' | 'postgres';
  readonly uuid: string;
  readonly timestamp: string;
  readonly json: string;
  readonly integer: string;
  readonly flag: string;
  /** Text that sorts and compares byte by byte, as SQLite's does. */
  readonly text: string;
  /** What follows the closing bracket of `create table`. */
  readonly tableSuffix: string;
  /** The same for a table that is little more than its primary key: one tree holds it, not two. */
  readonly keyedTableSuffix: string;
  /** The column that numbers a table's rows as they arrive, which makes it the primary key; nothing where there is none. */
  readonly arrival: string;
  /** What follows it for a table that is kept in partitions by the time in its rows' ids; nothing where there are none. */
  readonly partitionedByTime: string;
}

/** The migrations in order, by name (`0001_initial`, …). Forward only. */
export type Migrations = (types: ColumnTypes) => Record<string, Migration>;

/** Where a column of a count's key has its value from: a row's column, the day in UTC of its time, or the same for all. */
export type CountedBy =
  /** Where null is no value of the key's column, empty text stands for it. */
  | { readonly column: string; readonly orEmpty?: true }
  | { readonly dayOf: string }
  | { readonly is: string | number };

/** Rows that are counted, in another table, in the transaction that inserts them. */
export interface RowCounts {
  readonly table: keyof Tables;
  /** Its primary key, column by column. */
  readonly key: Readonly<Record<string, CountedBy>>;
  /** The column that the rows are added to. */
  readonly sum: string;
}

/** Where rows go. With `counts`, those that were not there already are counted too. */
export interface RowTarget {
  readonly table: keyof Tables;
  readonly columns: readonly string[];
  readonly counts?: RowCounts;
}

/** A fixed window: so many requests in so many seconds. */
export interface RateWindow {
  readonly points: number;
  readonly seconds: number;
}

/** One SQL database. Only this folder and the migrations know which engine it is. */
export interface Store {
  /** Whether other processes may write to the same database. */
  readonly isShared: boolean;
  readonly db: Db;
  /** Applies what is missing of the migrations and gives the names of those it applied. */
  migrate(): Promise<readonly string[]>;
  /** Throws a StartError where only some of the tables are distributed over a cluster's nodes: nothing may run on it then. */
  checkDistribution(): Promise<void>;
  /** Throws when the database cannot be reached. Gives the names of migrations not yet applied. */
  pendingMigrations(): Promise<readonly string[]>;
  /** The indexes that can be used: not one that a part of its table lacks. */
  listIndexNames(): Promise<ReadonlySet<string>>;
  /**
   * The fault of a statement that met a damaged page, until the same statement succeeds; undefined where there is none, and
   * where the engine is a server of its own.
   */
  damage(): unknown;
  /**
   * Runs statements as one transaction, in one trip to the database. None sees what those before it did, and each must
   * change a row.
   * @param statements each ends in `returning`, so that its rows can be counted.
   * @returns the place of the first that changed no row, and then nothing is stored; null when all is.
   */
  commit(statements: readonly Compilable[]): Promise<number | null>;
  /** Inserts rows by one statement; in a transaction where `db` is one. */
  insertMany<T extends keyof Tables>(db: Db, table: T, rows: readonly Insertable<Tables[T]>[]): Promise<void>;
  /**
   * Inserts those rows whose key is not there yet, by one statement. Transactions that insert the same rows at once must
   * have them in the same order, or wait for each other without end.
   * @returns the inserted rows' values of a column.
   */
  insertMissing<T extends keyof Tables>(
    db: Db,
    table: T,
    rows: readonly Insertable<Tables[T]>[],
    column: string & keyof Tables[T],
  ): Promise<string[]>;
  /**
   * Whether a column's UUID is one of many: of a list, which is one parameter whatever its length, or of what a query
   * finds, which is run first and by itself. Rows are then found by the column's index, however the tables are estimated.
   */
  isAmong(column: string, ids: readonly string[] | Expression<unknown>): Expression<SqlBool>;
  /** The newest clicks that came from an address since a time (ISO 8601), the newest first. */
  listRecentClicks(
    db: Db,
    address: ClickAddress,
    where: { since: string; limit: number },
  ): Promise<StoredClick[]>;
  /**
   * All clicks that came from an address, newest first, page by page.
   * @param where `after` is the last click of the page before, as it was read; null for the first page.
   */
  listClicksPage(
    db: Db,
    address: ClickAddress,
    where: { after: StoredClick | null; limit: number },
  ): Promise<StoredClick[]>;
  /**
   * Has the statements of a transaction planned for the tables as they are now: a plan that was kept from when a table
   * was empty reads the whole of it when it is not.
   */
  planAfresh(tx: Db): Promise<void>;
  /**
   * Inserts rows in one transaction; a row whose key is there already is left as it is. The shortest way from a journal
   * to a table.
   * @param texts rows as `toRowText` writes them, each with its line feed; values in the order of `columns`, of which the
   * last ones may be missing and are null then.
   */
  insertRowTexts(into: RowTarget, texts: readonly Uint8Array[]): Promise<void>;
  /** The time by the database's own clock, in milliseconds since the epoch; null where that is this machine's clock. */
  databaseNowMs(): Promise<number | null>;
  /** Does what may take longer than any request's statement, on connections of its own. */
  patiently<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Resolves when every transaction that had begun before, in any process, has ended: what it stored can be seen. */
  settled(goOn: GoOn): Promise<void>;
  /** Leaves nothing of overwritten and deleted rows in the files that a copy of the database is made of. */
  scrubFiles(goOn: GoOn): Promise<void>;
  /** Returns what large deletions left free to the file system, in steps between which others write. */
  returnFreeSpace(goOn: GoOn): Promise<void>;
  /**
   * Makes the partitions that are missing, of all tables that have any: of the day or month of a time, and of some ahead.
   * One whose table somebody holds is left out until the next call; rows without a partition of their own are kept all
   * the same. Nothing where the engine has none.
   * @returns the names of those that are missing still, of that day or month and of the next.
   */
  makePartitions(atMs: number): Promise<readonly string[]>;
  /**
   * Drops a table's partitions of all days or months that ended before.
   * @returns false where one could not be dropped, such as one that somebody holds, which a later call tries again; true
   * where the engine has none.
   */
  dropPartitions(table: PartitionedTable, beforeMs: number): Promise<boolean>;
  /** The table of those rows that have no partition of their own: of all, where the engine has none. */
  withoutPartition<T extends PartitionedTable>(table: T): T;
  /** Which of a count's rows (`stripe`) a transaction adds to: mostly another than those of this process that are under way. */
  nextCountStripe(): number;
  /**
   * How many connections so many processes may need together, and how many the database allows to all of its callers; null
   * where there are none to count.
   */
  connectionsOf(processes: number): Promise<{ readonly needed: number; readonly allowed: number } | null>;
  /** A counter of a fixed window that all processes on this database share. */
  sharedLimiter(name: string, window: RateWindow): RateLimiterAbstract;
  close(): Promise<void>;
}
