import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { StartError } from '../errors.ts';
import { VERSION } from '../version.ts';
import type { ColumnTypes, Db, Migrations } from './store.ts';

const TABLE = 'schema_migrations';
const LOCK_TABLE = 'schema_migrations_lock';

/**
 * Applies what is missing, in order and in one transaction: whatever ends it midway leaves the database as it was.
 * @param lock has processes that start together take turns; it ends with the transaction.
 * @throws StartError for a database that a newer version migrated.
 */
export async function migrate(
  db: Db,
  migrations: Migrations,
  types: ColumnTypes,
  lock: (tx: Db) => Promise<void>,
): Promise<string[]> {
  return await db.transaction().execute(async (tx) => {
    await lock(tx);
    await makeTables(tx);
    await refuseNewer(tx, Object.keys(migrations(types)));
    const migrator = new Migrator({
      db: tx,
      provider: { getMigrations: async () => migrations(types) },
      migrationTableName: TABLE,
      migrationLockTableName: LOCK_TABLE,
    });
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    return results.map((result) => result.migrationName);
  });
}

/** Names of the migrations that the database has not had yet. */
export async function pendingMigrations(
  db: Db,
  migrations: Migrations,
  types: ColumnTypes,
): Promise<string[]> {
  const applied = await appliedMigrations(db);
  return Object.keys(migrations(types)).filter((name) => !applied.includes(name));
}

/** As the migrator would make them: it takes a refusal for another process's work, and asks on in a failed transaction. */
async function makeTables(tx: Db): Promise<void> {
  await sql`create table if not exists ${sql.table(TABLE)} (
    name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(tx);
  await sql`create table if not exists ${sql.table(LOCK_TABLE)} (
    id varchar(255) not null primary key, is_locked integer default 0 not null)`.execute(tx);
}

async function refuseNewer(tx: Db, known: readonly string[]): Promise<void> {
  const unknown = (await appliedMigrations(tx)).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new StartError(
      `The database has migrations that version ${VERSION} does not know (${unknown.join(', ')}), so a newer version made them. Run that version, or restore a backup from before it.`,
    );
}

/** The table is the migrator's own, hence not among the typed ones. */
async function appliedMigrations(db: Db): Promise<string[]> {
  const rows = await (db as unknown as Kysely<{ [TABLE]: { name: string } }>)
    .selectFrom(TABLE)
    .select('name')
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}
