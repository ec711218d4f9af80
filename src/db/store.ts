import type { Compilable, Kysely, Transaction as KyselyTransaction } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Heartbeat } from '../lib/loop.ts';
import type { PartitionedTable } from '../schema/partitioned-tables.ts';
import type { Database } from '../schema/tables.ts';

/** The database, or a transaction on it. */
export type Db = Kysely<Database>;
/** Functions that write several rows take it, so that they do not compile without one. */
export type Transaction = KyselyTransaction<Database>;

/** Types and clauses that the two engines spell differently; migrations take them from here. */
export interface ColumnTypes {
  readonly engine: 'sqlite' | 'postgres';
  readonly uuid: string;
  readonly timestamp: string;
  readonly json: string;
  readonly integer: string;
  readonly flag: string;
  /** Text that sorts and compares byte by byte, as SQLite's does. */
  readonly text: string;
  /** Follows the closing bracket of `create table`. */
  readonly tableSuffix: string;
  /** The same for a table with few columns outside its primary key: SQLite stores it in one b-tree. */
  readonly keyedTableSuffix: string;
  /** Definition of the column that numbers rows in order of arrival and is the primary key; empty on PostgreSQL. */
  readonly arrival: string;
  /** Follows the closing bracket for a table with partitions by the time of its ids; empty on SQLite. */
  readonly partitionedByTime: string;
}

/** The migrations in order, by name (`0001_initial`, …). Forward only. */
export type Migrations = (types: ColumnTypes) => Record<string, Migration>;

/** Source of a column's value: a column of the row, the minute of a time column, or a constant. */
export type CountedBy =
  /** `orEmpty` replaces null by empty text. */
  | { readonly column: string; readonly orEmpty?: true }
  | { readonly minuteOf: string }
  | { readonly is: string | number };

/**
 * Counts inserted rows with equal values, and appends the counts to another table in the same transaction: rows of a
 * column `by` and of a JSON list, whose items are the values of `key` followed by the number of rows.
 */
export interface RowCounts {
  readonly table: keyof Database;
  /** A column of both tables, which the rows of a list have in common. */
  readonly by: string;
  /** The column of the list. */
  readonly list: string;
  /** What counts rows together. */
  readonly key: readonly CountedBy[];
}

/**
 * Where to insert rows. `counts` counts the rows that did not exist before; `timeoutMs` is for each statement, on PostgreSQL.
 */
export interface RowTarget {
  readonly timeoutMs?: number;
  readonly table: keyof Database;
  readonly columns: readonly string[];
  readonly counts?: RowCounts;
}

/** A rate limit: `points` requests in a fixed window of `seconds`. */
export interface RateWindow {
  readonly points: number;
  readonly seconds: number;
}

/** A statement of a commit. */
export interface Write extends Compilable {
  /** How many rows it must return or change; by default at least one. */
  readonly rows?: number;
}

/** Rows to insert as a part of a commit, which fails, without an error, if the key of one exists. The fastest way for many. */
export interface NewRows {
  readonly table: keyof Database;
  readonly columns: readonly string[];
  /** As `toRowText` writes them, with all columns, each with its line feed. */
  readonly text: string;
  /** Their number. */
  readonly rows: number;
}

export interface DatabaseDescription {
  readonly engine: 'sqlite' | 'postgres';
  readonly version: string;
  readonly bytes: number;
}

/**
 * One SQL database. SQL that differs between engines is in this folder and the migrations, but for one search of which
 * each engine has its own index. Code that depends on other processes asks `isShared`.
 */
export interface Store {
  readonly db: Db;
  /** Applies pending migrations and returns their names. */
  migrate(): Promise<readonly string[]>;
  /** @throws StartError when a connection pooler shares sessions, or times would be misread; PostgreSQL only. */
  checkSessions(): Promise<void>;
  /** @throws StartError when only some of the tables are distributed over the nodes of a cluster. */
  checkDistribution(): Promise<void>;
  /** Names of pending migrations. @throws when the database is unreachable. */
  pendingMigrations(): Promise<readonly string[]>;
  /** Names of the valid indexes. */
  listIndexNames(): Promise<ReadonlySet<string>>;
  /** The error of a statement that met a damaged page, until the same statement succeeds; SQLite only. */
  damage(): unknown;
  /** Whether the server has refused further connections lately: calls wait for those of this process; PostgreSQL only. */
  isShort(): boolean;
  /** Connections of this process that calls use, and the calls that wait for one; null on SQLite. */
  connections(): { readonly busy: number; readonly idle: number; readonly waiting: number } | null;
  /**
   * Runs statements as one transaction: on SQLite together with others, on PostgreSQL in one round trip unless one has many
   * rows. Each must return a row: a change ends in `returning`, a condition is a `select`. None may rely on the changes of
   * another, which PostgreSQL does not show it. Concurrent commits must insert `NewRows` in the order of their keys, or they
   * deadlock.
   * @param appId the app of all rows, which a cluster then commits on the app's node.
   * @returns the index of the first statement without its rows, after a rollback; null when all are committed.
   */
  commit(statements: readonly (Write | NewRows)[], appId?: string): Promise<number | null>;
  /**
   * Inserts rows in one transaction; rows whose key exists are ignored. The fastest way to insert.
   * @param texts rows as `toRowText` writes them, each with its line feed, values in the order of `columns`; missing last
   * values are null.
   */
  insertRowTexts(into: RowTarget, texts: readonly Uint8Array[]): Promise<void>;
  /** The program of the database, and the size of its file or, on PostgreSQL, of the database on the server. */
  describe(): Promise<DatabaseDescription>;
  /** The database server's clock, in milliseconds since the epoch; null on SQLite. */
  databaseNowMs(): Promise<number | null>;
  /** Runs statements without the time limit of a request's statements, on separate connections. */
  withoutTimeout<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Waits for all transactions of all processes that began before the call. */
  waitForTransactions(goOn: Heartbeat): Promise<void>;
  /** Removes remains of overwritten and deleted rows from the database files; in a large SQLite file partly at `vacuumIfDue`. */
  scrubFiles(goOn: Heartbeat): Promise<void>;
  /** Rewrites the SQLite file if it has such remains or much free space; writes wait. */
  vacuumIfDue(goOn: Heartbeat): Promise<void>;
  /**
   * Creates missing partitions of all partitioned tables, for the period of a time and some periods ahead. Skips a table
   * that another session has locked; its rows go to the default partition. Does nothing on SQLite.
   * @returns the names of partitions that are still missing, for that period and the next.
   */
  makePartitions(atMs: number): Promise<readonly string[]>;
  /**
   * Drops a table's partitions of periods that ended before a time.
   * @returns false if one could not be dropped, for example because it is locked; always true on SQLite.
   */
  dropPartitions(table: PartitionedTable, beforeMs: number): Promise<boolean>;
  /** The default partition, with the rows that no other partition takes; the table itself on SQLite. */
  defaultPartition<T extends PartitionedTable>(table: T): T;
  /** A fixed-window counter shared by all processes on this database. */
  sharedLimiter(name: string, window: RateWindow): RateLimiterAbstract;
  close(): Promise<void>;
}
