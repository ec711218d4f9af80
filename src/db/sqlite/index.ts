import { Kysely, sql } from 'kysely';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Log } from '../../lib/log.ts';
import type { Database } from '../../schema/tables.ts';
import { migrate, pendingMigrations } from '../migrate.ts';
import { logTo, type Observe } from '../observe.ts';
import { planCounts } from '../row-sums.ts';
import type {
  ColumnTypes,
  DatabaseDescription,
  Db,
  Migrations,
  NewRows,
  RowTarget,
  Store,
  Write,
} from '../store.ts';
import { sqliteDialect } from './dialect.ts';
import { FailingStatements } from './failing-statements.ts';
import { FileVacuum } from './file-vacuum.ts';
import { assertOwnWal } from './foreign-wal.ts';
import { groupCommits } from './group-commit.ts';
import { openReader } from './reader.ts';
import { withWriter } from './with-writer.ts';
import { openWriter } from './writer.ts';
import type { AtomicStatements } from './writer-thread.ts';

const types: ColumnTypes = {
  engine: 'sqlite',
  uuid: 'text',
  timestamp: 'text',
  json: 'text',
  integer: 'integer',
  flag: 'integer',
  text: 'text',
  tableSuffix: ' strict',
  keyedTableSuffix: ' strict, without rowid',
  arrival: 'arrival integer primary key,',
  partitionedByTime: '',
};

/**
 * Opens the SQLite file, or creates it.
 * @param onDeath called when a thread of the database ends unexpectedly.
 */
export async function openSqlite(
  path: string,
  migrations: Migrations,
  log: Log,
  { onDeath, observe }: { onDeath: (cause: unknown) => void; observe: Observe },
): Promise<Store> {
  assertOwnWal(path);
  const failing = new FailingStatements();
  const writer = await openWriter(path, failing, onDeath);
  const commit = groupCommits(writer);
  const vacuum = new FileVacuum(writer, { path, log });
  const reader = await openReader(path, failing, onDeath);
  const db = new Kysely<Database>({ dialect: sqliteDialect(reader, writer), log: logTo(observe) });
  return {
    db,
    checkSessions: async () => undefined,
    checkDistribution: async () => undefined,
    // Needs no lock: its transaction is the only writer.
    migrate: () => migrate(db, migrations, types, async () => undefined),
    async pendingMigrations() {
      // A raw statement runs on the writer, which checks its thread.
      await sql`select 1`.execute(db);
      return await pendingMigrations(db, migrations, types);
    },
    async listIndexNames() {
      const { rows } = await sql<{
        name: string;
      }>`select name from sqlite_schema where type = 'index'`.execute(db);
      return new Set(rows.map(({ name }) => name));
    },
    damage: () => failing.fault,
    isShort: () => false,
    connections: () => null,
    commit: (statements) => commit(statements.map(toAtomic)),
    async insertRowTexts(into, texts) {
      const plan = into.counts === undefined ? null : planCounts(into.counts, into.columns);
      await withWriter(writer, (session) => session.runForRows(insertionInto(into), texts, plan));
    },
    describe: () => describe(db),
    databaseNowMs: async () => null,
    withoutTimeout: (work) => work(db),
    waitForTransactions: () => withWriter(writer, async () => undefined),
    scrubFiles: (goOn) => vacuum.scrub(goOn),
    vacuumIfDue: (goOn) => vacuum.runIfDue(goOn),
    makePartitions: async () => [],
    dropPartitions: async () => true,
    defaultPartition: (table) => table,
    // One process owns the file.
    sharedLimiter: (name, window) =>
      new RateLimiterMemory({ keyPrefix: name, points: window.points, duration: window.seconds }),
    async close() {
      await db.destroy();
      await reader.close();
      await writer.close();
    },
  };
}

function toAtomic(statement: Write | NewRows): AtomicStatements[number] {
  const { rows } = statement;
  if ('text' in statement)
    return { sql: insertionInto(statement), parameters: [], rows, text: statement.text };
  const { sql, parameters } = statement.compile();
  return { sql, parameters, rows };
}

/** `insert or ignore` would also ignore violations of other constraints. */
function insertionInto({ table, columns }: Pick<RowTarget, 'table' | 'columns'>): string {
  const values = columns.map(() => '?').join(', ');
  return `insert into ${table} (${columns.join(', ')}) values (${values}) on conflict do nothing`;
}

/** Kysely's select, since a raw statement would wait behind writes. */
async function describe(db: Db): Promise<DatabaseDescription> {
  const { version, bytes } = await db
    .selectNoFrom([
      sql<string>`sqlite_version()`.as('version'),
      sql<number>`(select page_count from pragma_page_count) * (select page_size from pragma_page_size)`.as(
        'bytes',
      ),
    ])
    .executeTakeFirstOrThrow();
  return { engine: 'sqlite', version, bytes };
}
