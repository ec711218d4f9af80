import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqliteReader } from './reader.ts';
import type { SqliteWriter, WriterTurn } from './writer.ts';

/**
 * SQLite has one writer. Reads outside a transaction run on this thread, on a connection of their own that sees what
 * was committed; everything else runs in the writer's thread, one transaction after the other.
 */
export function sqliteDialect(reader: SqliteReader, writer: SqliteWriter): Dialect {
  return {
    createDriver: () => new SqliteDriver(reader, writer),
    createAdapter: () => new TransactionalAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

/** Kysely takes it to be unable to undo changes of a schema. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class SqliteDriver implements Driver {
  readonly #reader: SqliteReader;
  readonly #writer: SqliteWriter;

  constructor(reader: SqliteReader, writer: SqliteWriter) {
    this.#reader = reader;
    this.#writer = writer;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#reader, this.#writer);
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.end('commit');
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await connection.end('rollback');
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

class SqliteConnection implements DatabaseConnection {
  readonly #reader: SqliteReader;
  readonly #writer: SqliteWriter;
  /** Held from `begin` to `commit` or `rollback`. */
  #turn: WriterTurn | null = null;

  constructor(reader: SqliteReader, writer: SqliteWriter) {
    this.#reader = reader;
    this.#writer = writer;
  }

  async begin(): Promise<void> {
    const turn = await this.#writer.takeTurn();
    try {
      await turn.run('begin immediate', []);
      this.#turn = turn;
    } catch (error) {
      turn.release();
      throw error;
    }
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    const turn = this.#turn;
    if (turn === null) return;
    try {
      await turn.run(how, []);
    } catch (error) {
      // Of some faults SQLite undoes the transaction itself: whoever rolls back then tells of the fault, not of this.
      if (how === 'rollback') return;
      // A failed commit leaves the transaction open, and the next one would fall into it.
      await turn.run('rollback', []).catch(() => undefined);
      throw error;
    } finally {
      this.#turn = null;
      turn.release();
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#turn !== null) return toResult<R>(await this.#turn.run(query.sql, query.parameters));
    if (query.query.kind === 'SelectQueryNode')
      return { rows: this.#reader.all(query.sql, query.parameters) as R[] };
    const turn = await this.#writer.takeTurn();
    try {
      return toResult<R>(await turn.run(query.sql, query.parameters));
    } finally {
      turn.release();
    }
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator, and nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported on SQLite: read in pages');
  }
}

function toResult<R>(outcome: { rows: unknown[]; changes: number }): QueryResult<R> {
  return { rows: outcome.rows as R[], numAffectedRows: BigInt(outcome.changes) };
}
