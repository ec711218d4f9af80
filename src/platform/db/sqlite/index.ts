import { setTimeout as sleep } from 'node:timers/promises';
import { isExpression, Kysely, type SqlBool, sql } from 'kysely';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { insertMany, type JsonRows } from '../many-rows.ts';
import { migrate, pendingMigrations } from '../migrate.ts';
import type { ColumnTypes, Migrations, Store } from '../store.ts';
import type { Tables } from '../tables.ts';
import { sqliteDialect } from './dialect.ts';
import { openReader } from './reader.ts';
import { BUSY_TIMEOUT_MS } from './statements.ts';
import { openWriter, type SqliteWriter } from './writer.ts';

const types: ColumnTypes = {
  engine: 'sqlite',
  uuid: 'text',
  timestamp: 'text',
  json: 'text',
  integer: 'integer',
  flag: 'integer',
  text: 'text',
  tableSuffix: ' strict',
  partitionedByTime: '',
};

/** While somebody outside reads, a checkpoint cannot end. */
const CHECKPOINT_AGAIN_MS = 200;

const JSON_ROWS: JsonRows = {
  value: (_column, place) => `r.value ->> ${place}`,
  before: 'json_each(',
  after: ')',
};

/**
 * Opens the embedded database.
 * @param path of the file, made when it is not there.
 * @param onDeath called when the writer's thread ends unasked.
 */
export async function openSqlite(
  path: string,
  migrations: Migrations,
  onDeath: (cause: unknown) => void,
): Promise<Store> {
  const writer = await openWriter(path, onDeath);
  const reader = openReader(path);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(reader, writer) });
  return {
    engine: 'sqlite',
    isShared: false,
    db,
    migrate: () => migrate(db, migrations, types),
    async pendingMigrations() {
      // A statement of the writer, so that its thread is seen to answer.
      await sql`select 1`.execute(db);
      return await pendingMigrations(db, migrations, types);
    },
    async commit(statements) {
      const turn = await writer.takeTurn();
      try {
        return await turn.runAll(
          statements.map((statement) => {
            const { sql, parameters } = statement.compile();
            return { sql, parameters };
          }),
        );
      } finally {
        turn.release();
      }
    },
    insertMany: (db, table, rows) => insertMany(db, table, rows, JSON_ROWS),
    isAmong: (column, ids) =>
      sql<SqlBool>`${sql.ref(column)} in (${isExpression(ids) ? ids : sql`select value from json_each(${JSON.stringify(ids)})`})`,
    // Its plans do not go by how much a table holds.
    planAfresh: async () => undefined,
    async insertJsonRows(table, columns, jsonArrays) {
      const turn = await writer.takeTurn();
      try {
        const places = columns.map(() => '?').join(', ');
        // Not `insert or ignore`, which would pass over rows that violate any other constraint too.
        const statement = `insert into ${table} (${columns.join(', ')}) values (${places}) on conflict do nothing`;
        await turn.runForRows(statement, jsonArrays);
      } finally {
        turn.release();
      }
    },
    async settled() {
      (await writer.takeTurn()).release();
    },
    // Rows themselves are overwritten at once (`secure_delete`); the log of writes holds what they were before.
    async scrubFiles(goOn) {
      while (!(await emptyLog(writer))) {
        await goOn();
        await sleep(CHECKPOINT_AGAIN_MS);
      }
    },
    makePartitions: async () => undefined,
    dropPartitions: async () => undefined,
    // One process owns the file, so its memory is all there is to share.
    sharedLimiter: (name, window) =>
      new RateLimiterMemory({ keyPrefix: name, points: window.points, duration: window.seconds }),
    async close() {
      await db.destroy();
      reader.close();
      await writer.close();
    },
  };
}

/** False while somebody outside reads. Who waited for that in the writer's thread would have all others wait too. */
async function emptyLog(writer: SqliteWriter): Promise<boolean> {
  const turn = await writer.takeTurn();
  try {
    await turn.run('pragma busy_timeout = 0', []);
    const { rows } = await turn
      .run('pragma wal_checkpoint(truncate)', [])
      .finally(() => turn.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`, []));
    return (rows[0] as { busy: number }).busy === 0;
  } finally {
    turn.release();
  }
}
