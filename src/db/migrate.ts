import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { StartError } from '../errors.ts';
import { VERSION } from '../lib/version.ts';
import type { ColumnTypes, Db, Migrations } from './store.ts';

const TABLE = 'schema_migrations';
const LOCK_TABLE = 'schema_migrations_lock';
/** One row: the version that has opened the database last. Every version has to find it here, so no migration makes it. */
const VERSION_TABLE = 'schema_migrations_version';

/** A migration that failed; the cause is the database's error. */
export class MigrationFailed extends Error {
  override name = 'MigrationFailed';
  readonly migration: string;
  /** Whether the database held nothing before. */
  readonly isFirst: boolean;
  /** The version that had opened the database; null if it stored none. */
  readonly fromVersion: string | null;

  constructor(
    migration: string,
    { cause, isFirst, fromVersion }: { cause: unknown; isFirst: boolean; fromVersion: string | null },
  ) {
    super(`migration ${migration} failed`, { cause });
    this.migration = migration;
    this.isFirst = isFirst;
    this.fromVersion = fromVersion;
  }
}

/**
 * Applies pending migrations in order and in one transaction, so that a failure leaves the database unchanged.
 * @param lock serializes processes that start together; held until the transaction ends.
 * @returns the names of the applied migrations.
 * @throws StartError when a newer version has migrated the database; MigrationFailed.
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
    const before = await appliedMigrations(tx);
    const fromVersion = await storedVersion(tx);
    const newer = await explainNewerData(tx, Object.keys(migrations(types)));
    if (newer !== null) throw new StartError(newer);
    const migrator = new Migrator({
      db: tx,
      provider: { getMigrations: async () => migrations(types) },
      migrationTableName: TABLE,
      migrationLockTableName: LOCK_TABLE,
    });
    const { error, results = [] } = await migrator.migrateToLatest();
    const failed = results.find(({ status }) => status === 'Error');
    if (failed !== undefined)
      throw new MigrationFailed(failed.migrationName, {
        ...{ cause: error, isFirst: before.length === 0, fromVersion },
      });
    if (error !== undefined) throw error;
    if (fromVersion !== VERSION) await storeVersion(tx);
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
  await sql`create table if not exists ${sql.table(VERSION_TABLE)} (
    id integer not null primary key, version varchar(255) not null)`.execute(tx);
}

/** Why this version cannot use the data; null unless a newer one has migrated it. */
export async function explainNewerData(db: Db, known: readonly string[]): Promise<string | null> {
  const unknown = (await appliedMigrations(db)).filter((name) => !known.includes(name));
  if (unknown.length === 0) return null;
  const writer = await storedVersion(db);
  const [who, run] =
    writer === null || writer === VERSION
      ? ['a newer version', 'that version']
      : [`version ${writer}`, `version ${writer} or newer`];
  return `The database has migrations that version ${VERSION} does not know (${unknown.join(', ')}): ${who} applied them. Run ${run}, or go back to the data from before the upgrade (docs/guide/upgrading.md).`;
}

async function appliedMigrations(db: Db): Promise<string[]> {
  const rows = await (db as unknown as Kysely<{ [TABLE]: { name: string } }>)
    .selectFrom(TABLE)
    .select('name')
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

/** Null for a database that was last opened by a version which did not store it. */
async function storedVersion(tx: Db): Promise<string | null> {
  const { rows } = await sql<{ version: string }>`select version from ${sql.table(VERSION_TABLE)}`.execute(
    tx,
  );
  return rows[0]?.version ?? null;
}

async function storeVersion(tx: Db): Promise<void> {
  await sql`insert into ${sql.table(VERSION_TABLE)} (id, version) values (1, ${VERSION})
    on conflict (id) do update set version = excluded.version`.execute(tx);
}
