/** Makes one PostgreSQL the coordinator of many: tables that grow with the traffic are cut into shards on other nodes. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { StartError } from '../../errors.ts';
import { settingsOf } from '../postgres/connections.ts';
import type { Db } from '../store.ts';
import type { Tables } from '../tables.ts';
import { type CitusTable, SPREAD_TABLES } from './placements.ts';
import { listNotKnown } from './spread.ts';

interface DistributeOptions {
  /** How many shards a table is cut into, where none is yet. More nodes than shards are of no use. */
  readonly shards: number;
  /** Brings the schema up to date, once it is known that the database is a cluster's and that nobody uses it. */
  readonly migrate: () => Promise<void>;
  /** Told of each table that is distributed from now on. */
  readonly onTable: (table: string, at: { number: number; of: number }) => void;
}

/** What is so once it is done. */
export interface Distributed {
  /** How many nodes hold shards. */
  readonly nodes: number;
  /** The tables that this call distributed; none where all were already. */
  readonly tables: readonly string[];
}

/**
 * Distributes the tables of a database, empty or filled: one after the other, each with its rows in a
 * transaction of its own, so that after a cut the next call goes on. What is distributed already stays as it is.
 * @throws StartError where the database is no coordinator of a Citus cluster, or where a service runs on it.
 */
export async function distributeTables(
  databaseUrl: string,
  { shards, migrate, onTable }: DistributeOptions,
): Promise<Distributed> {
  // Not the name of the service's connections, which are looked for.
  const settings = { ...settingsOf(databaseUrl), application_name: 'throughline db' };
  const pool = new pg.Pool({ ...settings, max: 1 });
  // A connection that breaks fails the statement that is under way, or the next one.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    const nodes = await countNodes(db);
    await refuseBesideService(db);
    await migrate();
    const tables = await listNotKnown(db);
    for (const [index, table] of tables.entries()) {
      onTable(table.table, { number: index + 1, of: tables.length });
      await db.transaction().execute((tx) => distributeTable(tx, table, shards));
    }
    return { nodes, tables: tables.map(({ table }) => table) };
  } finally {
    await db.destroy();
  }
}

async function countNodes(db: Db): Promise<number> {
  const extension = await sql`select 1 from pg_extension where extname = 'citus'`.execute(db);
  if (extension.rows.length === 0)
    throw new StartError(
      'The database of DATABASE_URL has no Citus. Install it on every node, name it in shared_preload_libraries, and run in this database of each node: create extension citus.',
    );
  const { rows } = await sql<{ nodes: number }>`
    select count(*)::int as nodes from pg_dist_node
    where isactive and shouldhaveshards and noderole = 'primary' and nodecluster = 'default'`.execute(db);
  const nodes = rows[0]?.nodes ?? 0;
  if (nodes === 0)
    throw new StartError(
      "The database of DATABASE_URL knows no node that may hold shards. Run there, for each one: select citus_add_node('host', 5432).",
    );
  return nodes;
}

/** Its statements would wait for whole tables. */
async function refuseBesideService(db: Db): Promise<void> {
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
  const sibling = SPREAD_TABLES.find((other) => other.by === by)?.table;
  await (sibling === table
    ? sql`select create_distributed_table(${table}, ${by}, shard_count => ${shards}, colocate_with => 'none')`
    : sql`select create_distributed_table(${table}, ${by}, colocate_with => ${sibling})`
  ).execute(tx);
  // The rows are in the shards now, and still here, out of sight.
  await sql`select truncate_local_data_after_distributing_table(${table})`.execute(tx);
}
