import { isExpression, Kysely, type SqlBool, sql } from 'kysely';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Log } from '../../log.ts';
import type { GoOn } from '../../loop.ts';
import { insertMany, insertMissing, type JsonRows } from '../many-rows.ts';
import { migrate, pendingMigrations } from '../migrate.ts';
import { planCounts } from '../row-sums.ts';
import type { ColumnTypes, Migrations, Store } from '../store.ts';
import type { Tables } from '../tables.ts';
import { listClicksPage, listRecentClicks } from './clicks-from-address.ts';
import { sqliteDialect } from './dialect.ts';
import { FailingStatements } from './failing-statements.ts';
import { makeShrinkable, returnFreePages } from './free-pages.ts';
import { groupCommits } from './group-commit.ts';
import { openReader } from './reader.ts';
import { inTurn, withEmptyLog } from './turns.ts';
import type { Leftovers } from './unallocated-space.ts';
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
  keyedTableSuffix: ' strict, without rowid',
  arrival: 'arrival integer primary key,',
  partitionedByTime: '',
};

/** Nobody else writes meanwhile. */
const PAGES_CLEARED_AT_ONCE = 256;

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
  log: Log,
  onDeath: (cause: unknown) => void,
): Promise<Store> {
  const failing = new FailingStatements();
  const writer = await openWriter(path, failing, onDeath);
  const commit = groupCommits(writer);
  const reader = openReader(path, failing);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(reader, writer) });
  return {
    isShared: false,
    db,
    checkDistribution: async () => undefined,
    // Its transaction begins as the only one that writes.
    async migrate() {
      const applied = await migrate(db, migrations, types, async () => undefined);
      await makeShrinkable(writer, log);
      return applied;
    },
    async pendingMigrations() {
      // A statement of the writer, so that its thread is seen to answer.
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
    commit: (statements) =>
      commit(
        statements.map((statement) => {
          const { sql, parameters } = statement.compile();
          return { sql, parameters };
        }),
      ),
    insertMany: (db, table, rows) => insertMany(db, table, rows, JSON_ROWS),
    insertMissing: (db, table, rows, column) => insertMissing(db, { table, column }, rows, JSON_ROWS),
    isAmong: (column, ids) =>
      sql<SqlBool>`${sql.ref(column)} in (${isExpression(ids) ? ids : sql`select value from json_each(${JSON.stringify(ids)})`})`,
    listRecentClicks,
    listClicksPage,
    // Its plans do not go by how much a table holds.
    planAfresh: async () => undefined,
    async insertRowTexts({ table, columns, counts }, texts) {
      const places = columns.map(() => '?').join(', ');
      // Not `insert or ignore`, which would pass over rows that violate any other constraint too.
      const statement = `insert into ${table} (${columns.join(', ')}) values (${places}) on conflict do nothing`;
      const plan = counts === undefined ? null : planCounts(counts, columns);
      await inTurn(writer, (turn) => turn.runForRows(statement, texts, plan));
    },
    databaseNowMs: async () => null,
    patiently: (work) => work(db),
    settled: () => inTurn(writer, async () => undefined),
    scrubFiles: (goOn) => scrubFiles(writer, goOn),
    returnFreeSpace: (goOn) => returnFreePages(writer, goOn),
    makePartitions: async () => [],
    dropPartitions: async () => true,
    withoutPartition: (table) => table,
    // Transactions take turns.
    nextCountStripe: () => 0,
    connectionsOf: async () => null,
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

/**
 * Rows themselves are overwritten at once (`secure_delete`). What they were before is in the log of writes, and a copy may
 * be in a page's unallocated space.
 */
async function scrubFiles(writer: SqliteWriter, goOn: GoOn): Promise<void> {
  await withEmptyLog(writer, goOn, async () => true);
  const pages: number[] = [];
  for (let nextPage: number | null = 0; nextPage !== null; await goOn()) {
    const found: Leftovers = await inTurn(writer, (turn) => turn.findLeftovers(nextPage ?? 0));
    pages.push(...found.pages);
    nextPage = found.nextPage;
  }
  for (let first = 0; first < pages.length; first += PAGES_CLEARED_AT_ONCE) {
    const some = pages.slice(first, first + PAGES_CLEARED_AT_ONCE);
    await withEmptyLog(writer, goOn, (turn) => turn.clearLeftovers(some));
  }
}
