/** Distributes tables that grow with traffic over the nodes of a Citus cluster. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { StartError } from '../../errors.ts';
import { type CitusTable, DISTRIBUTED_TABLES } from '../../schema/placements.ts';
import type { Database } from '../../schema/tables.ts';
import { settingsOf } from '../postgres/connections.ts';
import type { Db } from '../store.ts';
import { listUndistributed } from './check-distribution.ts';
import { createCommitFunction } from './commit-on-node.ts';

interface DistributeOptions {
  /** Shards of each table, unless tables are distributed already; at least one for each node. */
  readonly shards: number;
  /** Migrates the schema; called after the checks of the cluster and of running services. */
  readonly migrate: () => Promise<void>;
  /** Called before each table is distributed. */
  readonly onTable: (table: string, at: { number: number; of: number }) => void;
}

export interface Distributed {
  /** Number of nodes that hold shards. */
  readonly nodes: number;
  /** The tables that this call distributed. */
  readonly tables: readonly string[];
}

/**
 * Distributes the tables and their rows, each in its own transaction, so that an interrupted call can be repeated. Skips
 * tables that are distributed already.
 * @throws StartError unless the database is the coordinator of a Citus cluster and no service runs on it.
 */
export async function distributeTables(
  databaseUrl: string,
  { shards, migrate, onTable }: DistributeOptions,
): Promise<Distributed> {
  // Differs from the service's name, which `assertNoService` looks for.
  const settings = { ...settingsOf(databaseUrl), application_name: 'throughline db' };
  const pool = new pg.Pool({ ...settings, max: 1 });
  // The statements of a broken connection fail, which suffices.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  try {
    const nodes = await countNodes(db);
    await assertNoService(db);
    await migrate();
    const tables = await listUndistributed(db);
    for (const [index, table] of tables.entries()) {
      onTable(table.table, { number: index + 1, of: tables.length });
      await db.transaction().execute((tx) => distributeTable(tx, table, shards));
    }
    await createCommitFunction(db);
    return { nodes, tables: tables.map(({ table }) => table) };
  } finally {
    await db.destroy();
  }
}

async function countNodes(db: Db): Promise<number> {
  const extension = await sql`select 1 from pg_extension where extname = 'citus'`.execute(db);
  if (extension.rows.length === 0)
    throw new StartError(
      'The database of DATABASE_URL has no Citus. Add the extension to every node, name it in shared_preload_libraries, and run in this database of each node: create extension citus.',
    );
  const { rows } = await sql<{ nodes: number }>`
    select count(*)::int as nodes from pg_dist_node
    where isactive and shouldhaveshards and noderole = 'primary' and nodecluster = 'default'`.execute(db);
  const nodes = rows[0]?.nodes ?? 0;
  if (nodes === 0)
    throw new StartError(
      "The Citus cluster of DATABASE_URL has no node that may hold shards. Run there, for each node: select citus_add_node('host', 5432).",
    );
  return nodes;
}

/** A service's statements would wait while whole tables are locked. */
async function assertNoService(db: Db): Promise<void> {
  const { rows } = await sql`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'throughline' limit 1`.execute(db);
  if (rows.length > 0)
    throw new StartError(
      'A service is running on the database of DATABASE_URL. Stop all its processes and run this again.',
    );
}

async function distributeTable(tx: Db, { table, by }: CitusTable, shards: number): Promise<void> {
  if (by === null) return void (await sql`select citus_add_local_table_to_metadata(${table})`.execute(tx));
  const colocated = DISTRIBUTED_TABLES.find((other) => other.by === by)?.table;
  await (colocated === table
    ? sql`select create_distributed_table(${table}, ${by}, shard_count => ${shards}, colocate_with => 'none')`
    : sql`select create_distributed_table(${table}, ${by}, colocate_with => ${colocated})`
  ).execute(tx);
  // The coordinator keeps a hidden copy of the rows.
  await sql`select truncate_local_data_after_distributing_table(${table})`.execute(tx);
}
