import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { StartError } from '../errors.ts';
import { VERSION } from '../lib/version.ts';
import type { ColumnTypes, Db, Migrations } from './store.ts';

const TABLE = 'schema_migrations';
const LOCK_TABLE = 'schema_migrations_lock';

/**
 * Applies pending migrations in order and in one transaction, so that a failure leaves the database unchanged.
 * @param lock serializes processes that start together; held until the transaction ends.
 * @returns the names of the applied migrations.
 * @throws StartError when a newer version has migrated the database.
 */
export async function migrate(
  db: Db,
  migrations: Migrations,
  types: ColumnTypes,
  lock: (tx: Db) => Promise<void>,
): Promise<string[]> {
  return await db.transaction().execute(async (tx) => {
    await lock(tx);
    await createMigratorTables(tx);
    await assertNotNewer(tx, Object.keys(migrations(types)));
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

/** Names of the migrations that are not applied yet. */
export async function pendingMigrations(
  db: Db,
  migrations: Migrations,
  types: ColumnTypes,
): Promise<string[]> {
  const applied = await appliedMigrations(db);
  return Object.keys(migrations(types)).filter((name) => !applied.includes(name));
}

/** How many are applied, whichever version did so. */
export async function countAppliedMigrations(db: Db): Promise<number> {
  return (await appliedMigrations(db)).length;
}

/** Same tables as the migrator's own: it ignores errors when it creates them and goes on in a failed transaction. */
async function createMigratorTables(tx: Db): Promise<void> {
  await sql`create table if not exists ${sql.table(TABLE)} (
    name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(tx);
  await sql`create table if not exists ${sql.table(LOCK_TABLE)} (
    id varchar(255) not null primary key, is_locked integer default 0 not null)`.execute(tx);
}

async function assertNotNewer(tx: Db, known: readonly string[]): Promise<void> {
  const unknown = (await appliedMigrations(tx)).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new StartError(
      `The database has migrations that version ${VERSION} does not know (${unknown.join(', ')}): a newer version applied them. Run that version, or restore an older backup.`,
    );
}

async function appliedMigrations(db: Db): Promise<string[]> {
  const rows = await (db as unknown as Kysely<{ [TABLE]: { name: string } }>)
    .selectFrom(TABLE)
    .select('name')
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}
