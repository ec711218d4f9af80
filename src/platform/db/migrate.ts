import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { ColumnTypes, Migrations } from './store.ts';

const TABLE = 'schema_migrations';
const LOCK_TABLE = 'schema_migrations_lock';

/** Applies the migrations in order, under a lock so that processes starting together take turns. */
export async function migrate<T>(
  db: Kysely<T>,
  migrations: Migrations,
  types: ColumnTypes,
): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations(types) },
    migrationTableName: TABLE,
    migrationLockTableName: LOCK_TABLE,
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return results.map((result) => result.migrationName);
}

/** Names of the migrations that the database has not had yet. */
export async function pendingMigrations<T>(
  db: Kysely<T>,
  migrations: Migrations,
  types: ColumnTypes,
): Promise<string[]> {
  const names = Object.keys(migrations(types));
  // The table is the migrator's own, hence not among the typed ones.
  const applied = await (db as unknown as Kysely<{ schema_migrations: { name: string } }>)
    .selectFrom(TABLE)
    .select('name')
    .execute();
  return names.filter((name) => !applied.some((row) => row.name === name));
}
