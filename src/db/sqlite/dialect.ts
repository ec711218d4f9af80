import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Expression,
  isExpression,
  type Kysely,
  type QueryResult,
  type SqlBool,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { Engine } from '../engine.ts';
import type { JsonRows } from '../many-rows.ts';
import type { SqliteReader } from './reader.ts';
import { withWriter } from './with-writer.ts';
import type { SqliteWriter, WriterSession } from './writer.ts';
import type { StatementResult } from './writer-thread.ts';

/**
 * Reads outside of transactions run in the reader's thread, on a read-only connection; all other statements run in the
 * writer's, one transaction after the other.
 */
export function sqliteDialect(reader: SqliteReader, writer: SqliteWriter): Dialect {
  return {
    createDriver: () => createDriver(reader, writer),
    createAdapter: () => new SqliteEngine(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

const JSON_ROWS: JsonRows = {
  value: (_column, index) => `r.value ->> ${index}`,
  before: 'json_each(',
  after: ')',
};

class SqliteEngine extends SqliteAdapter implements Engine {
  readonly isShared = false;

  /** The reader and the writer; Kysely's adapter has one connection, for which queries wait in line. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** Kysely's adapter says no, but SQLite does roll back DDL. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  async jsonRows(): Promise<JsonRows> {
    return JSON_ROWS;
  }

  isAmong(column: string, ids: readonly string[] | Expression<unknown>): Expression<SqlBool> {
    const list = isExpression(ids) ? ids : sql`select value from json_each(${JSON.stringify(ids)})`;
    return sql<SqlBool>`${sql.ref(column)} in (${list})`;
  }

  isAmongTexts(column: string, texts: readonly string[]): Expression<SqlBool> {
    return this.isAmong(column, texts);
  }

  jsonText(json: Expression<unknown>, field: string): Expression<string | null> {
    return sql<string | null>`${json} ->> ${sql.lit(field)}`;
  }

  /** SQLite's plans do not depend on table sizes. */
  async useCustomPlan(): Promise<void> {}
}

function createDriver(reader: SqliteReader, writer: SqliteWriter): Driver {
  return {
    init: async () => undefined,
    acquireConnection: async () => new SqliteConnection(reader, writer),
    beginTransaction: (connection: SqliteConnection) => connection.begin(),
    commitTransaction: (connection: SqliteConnection) => connection.end('commit'),
    rollbackTransaction: (connection: SqliteConnection) => connection.end('rollback'),
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  };
}

class SqliteConnection implements DatabaseConnection {
  readonly #reader: SqliteReader;
  readonly #writer: SqliteWriter;
  /** Held during a transaction. */
  #session: WriterSession | null = null;

  constructor(reader: SqliteReader, writer: SqliteWriter) {
    this.#reader = reader;
    this.#writer = writer;
  }

  async begin(): Promise<void> {
    const session = await this.#writer.acquire();
    try {
      await session.run('begin immediate', []);
      this.#session = session;
    } catch (error) {
      session.release();
      throw error;
    }
  }

  async end(command: 'commit' | 'rollback'): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    try {
      await session.run(command, []);
    } catch (error) {
      // Fails if SQLite has rolled back by itself; the caller throws the original error.
      if (command === 'rollback') return;
      // A failed commit leaves the transaction open.
      await session.run('rollback', []).catch(() => undefined);
      throw error;
    } finally {
      this.#session = null;
      session.release();
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#session !== null) return toResult<R>(await this.#session.run(query.sql, query.parameters));
    if (query.query.kind === 'SelectQueryNode')
      return { rows: (await this.#reader.all(query.sql, query.parameters)) as R[] };
    return await withWriter(this.#writer, async (session) =>
      toResult<R>(await session.run(query.sql, query.parameters)),
    );
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('SQLite does not support streaming: read in pages');
  }
}

function toResult<R>({ rows, changes }: StatementResult): QueryResult<R> {
  return { rows: rows as R[], numAffectedRows: BigInt(changes) };
}
