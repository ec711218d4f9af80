/**
 * Databases on a Citus cluster: `TEST_CITUS_URL` is a database on its coordinator with all nodes registered. If it is
 * set, the PostgreSQL tests run on distributed copies of one template.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrations } from '../../migrations/index.ts';
import { distributeTables } from '../../src/db/citus/distribute-tables.ts';
import { openStore } from '../../src/db/index.ts';
import { createLog } from '../../src/lib/log.ts';
import { CITUS_TABLES, DISTRIBUTED_TABLES } from '../../src/schema/placements.ts';

/** A database on the coordinator; the databases on the other nodes have the same name. */
export interface ClusterDatabase {
  readonly url: string;
  remove(): Promise<void>;
}

export const citusUrl = process.env.TEST_CITUS_URL;
export const WITHOUT_CITUS =
  citusUrl === undefined ? 'needs a Citus cluster: TEST_CITUS_URL names its coordinator' : false;

/** A small number, since every test database has that many shards of each table. */
const SHARDS = 4;

/** An empty database with its nodes registered, not distributed. */
export async function makeCitusDatabase(coordinator: string): Promise<ClusterDatabase> {
  const nodes = await listNodes(coordinator);
  const name = `throughline_test_${randomBytes(6).toString('hex')}`;
  await Promise.all(
    nodes.map(async ({ url }) => {
      await run(url, `create database ${name}`);
      await run(withName(url, name), 'create extension citus');
    }),
  );
  const url = withName(coordinator, name);
  await underLock(coordinator, async () => {
    for (const { host, port, isCoordinator } of nodes)
      await run(
        url,
        `select ${isCoordinator ? 'citus_set_coordinator_host' : 'citus_add_node'}('${host}', ${port})`,
      );
  });
  return { url, remove: () => drop(nodes, name) };
}

/** Distributes those tables of any version that are not distributed yet; a service may run. */
export async function distributeExisting(databaseUrl: string): Promise<void> {
  const rows = await run(
    databaseUrl,
    `select relname from pg_class left join pg_dist_partition on logicalrelid = pg_class.oid where logicalrelid is null`,
  );
  const found = new Set(rows.map(({ relname }) => relname));
  for (const { table, by } of CITUS_TABLES.filter((each) => found.has(each.table))) {
    const first = DISTRIBUTED_TABLES.find((each) => each.by === by)?.table;
    const place =
      first === table ? `shard_count => ${SHARDS}, colocate_with => 'none'` : `colocate_with => '${first}'`;
    await run(
      databaseUrl,
      by === null
        ? `select citus_add_local_table_to_metadata('${table}')`
        : `select create_distributed_table('${table}', '${by}', ${place})`,
    );
  }
}

/** Distributes the tables of this version, as `db distribute` does. */
export async function distributeAll(databaseUrl: string): Promise<void> {
  const options = { shards: SHARDS, migrate: async () => undefined, onTable: () => undefined };
  await distributeTables(databaseUrl, options);
}

/** A migrated and distributed template, which accepts no connections. */
export async function makeCitusTemplate(coordinator: string): Promise<ClusterDatabase & { name: string }> {
  const database = await makeCitusDatabase(coordinator);
  const config = { databaseUrl: database.url, dataDir: '' };
  const migrate = async () => {
    const store = await openStore(config, migrations, createLog('silent'), () => undefined);
    await store.migrate();
    await store.close();
  };
  await distributeTables(database.url, { shards: SHARDS, migrate, onTable: () => undefined });
  const name = new URL(database.url).pathname.slice(1);
  for (const { url } of await listNodes(coordinator)) {
    await run(url, `alter database ${name} allow_connections false`);
    // Citus runs a maintenance process in each database.
    await run(url, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`);
  }
  return { ...database, name };
}

/** A new distributed database. */
export async function copyCitusTemplate(coordinator: string, template: string): Promise<ClusterDatabase> {
  const nodes = await listNodes(coordinator);
  const name = `throughline_test_${randomBytes(6).toString('hex')}`;
  await Promise.all(nodes.map(({ url }) => run(url, `create database ${name} template ${template}`)));
  return { url: withName(coordinator, name), remove: () => drop(nodes, name) };
}

/** A worker of the cluster, for one database. */
export interface Worker {
  readonly host: string;
  readonly port: number;
  /** Of this database. */
  readonly url: string;
  /** Refuses connections to this database until `back`. */
  away(): Promise<void>;
  back(): Promise<void>;
}

/** The worker that holds an app's rows. */
export async function workerOf(databaseUrl: string, appId: string): Promise<Worker> {
  const [row] = await run(
    databaseUrl,
    `select nodeport from pg_dist_node join pg_dist_placement using (groupid)
     where shardid = get_shard_id_for_distribution_column('links', '${appId}')`,
  );
  const node = (await listNodes(databaseUrl)).find(({ port }) => port === Number(row?.nodeport));
  if (node === undefined) throw new Error(`no node has app ${appId}`);
  const name = new URL(databaseUrl).pathname.slice(1);
  const server = withName(node.url, 'postgres');
  return {
    host: node.host,
    port: node.port,
    url: withName(node.url, name),
    async away() {
      await run(server, `alter database ${name} allow_connections false`);
      await run(
        server,
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
      );
    },
    back: async () => void (await run(server, `alter database ${name} allow_connections true`)),
  };
}

interface Node {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
}

async function listNodes(coordinator: string): Promise<Node[]> {
  const rows = await run(
    coordinator,
    'select nodename, nodeport, groupid from pg_dist_node order by groupid',
  );
  return rows.map(({ nodename: host, nodeport: port, groupid }) => {
    const url = new URL(coordinator);
    url.hostname = String(host);
    url.port = String(port);
    return { url: url.href, host: String(host), port: Number(port), isCoordinator: groupid === 0 };
  });
}

async function drop(nodes: readonly Node[], name: string): Promise<void> {
  await Promise.all(nodes.map(({ url }) => dropAt(url, name)));
}

const DROP_TRIES = 20;
const OBJECT_IN_USE = '55006';

/** Retries, since the maintenance process of Citus may reconnect in between. */
async function dropAt(url: string, name: string, tries = DROP_TRIES): Promise<void> {
  try {
    await run(url, `drop database if exists ${name} with (force)`);
  } catch (error) {
    if (tries === 1 || (error as { code?: string }).code !== OBJECT_IN_USE) throw error;
    await dropAt(url, name, tries - 1);
  }
}

/** Adding a node alters its roles, which fails if another process adds it to another database at the same time. */
async function underLock(coordinator: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: coordinator });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock(hashtext('nodes of test databases'))");
    await work();
  } finally {
    await client.end();
  }
}

function withName(url: string, name: string): string {
  const named = new URL(url);
  named.pathname = `/${name}`;
  return named.href;
}

async function run(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
