/** Work that goes on while a node of a cluster is away. Without a cluster, no error is of a node. */
import { sql } from 'kysely';
import { FIRST_BY_APP } from '../../schema/placements.ts';
import { isShared } from '../engine.ts';
import { isNodeAway } from '../faults.ts';
import type { Database } from '../index.ts';
import type { Db } from '../store.ts';

/** The node of each value of a table's distribution column; the coordinator alone is asked. */
async function nodesOf(
  db: Db,
  table: string,
  values: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ value: string; node: number }>`
    select value, groupid as node from unnest(${values}::text[]) as value
    join pg_dist_placement on shardid = get_shard_id_for_distribution_column(${table}, value)`.execute(db);
  return new Map(rows.map(({ value, node }) => [value, node]));
}

/** The node of each app. */
async function nodesOfApps(db: Db, appIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  return await nodesOf(db, FIRST_BY_APP, appIds);
}

const MAX_ATTEMPTS = 4;
/** On a cluster of many nodes most are elsewhere. */
const CANDIDATES = 50;

/**
 * Runs work with a value that `make` makes up, such as the id of a new app. If the value's node is away, tries again with one
 * of another node.
 * @param isAway whether an error is of the value's node.
 */
export async function onSomeNode<T>(
  db: Db,
  {
    table,
    make,
    isAway = isNodeAway,
  }: { table: keyof Database; make: () => string; isAway?: (error: unknown) => boolean },
  work: (value: string) => Promise<T>,
): Promise<T> {
  const tried: string[] = [];
  for (let value = make(); ; ) {
    try {
      return await work(value);
    } catch (error) {
      tried.push(value);
      if (!isAway(error) || tried.length === MAX_ATTEMPTS) throw error;
      const candidates = Array.from({ length: CANDIDATES }, make);
      const nodes = await nodesOf(db, table, [...tried, ...candidates]);
      const away = new Set(tried.map((each) => nodes.get(each)));
      const other = candidates.find((each) => !away.has(nodes.get(each)));
      if (other === undefined) throw error;
      value = other;
    }
  }
}

/** What a statement over all apps gave. */
interface FromNodes<T> {
  /** One for all nodes, or one for each node that is there. */
  readonly results: readonly T[];
  /** The error of a node that is away; null if there is none. */
  readonly away: unknown;
}

/**
 * Runs a statement over all apps. If a node is away, runs it for the apps of each node instead.
 * @param work with null for all apps.
 */
export async function onEachNode<T>(
  db: Db,
  work: (ofApps: readonly string[] | null) => Promise<T>,
): Promise<FromNodes<T>> {
  try {
    return { results: [await work(null)], away: null };
  } catch (error) {
    if (!isNodeAway(error)) throw error;
  }
  const apps = await db.selectFrom('apps').select('id').execute();
  const nodes = await nodesOfApps(
    db,
    apps.map(({ id }) => id),
  );
  const results: T[] = [];
  let away: unknown = null;
  for (const ofNode of Map.groupBy(nodes, ([, node]) => node).values())
    try {
      results.push(await work(ofNode.map(([appId]) => appId)));
    } catch (error) {
      if (!isNodeAway(error)) throw error;
      away = error;
    }
  return { results, away };
}

/**
 * Works for one app after another. Once the node of one is away, its other apps are left out.
 * @throws the error of a node that is away, after the work for all other apps.
 */
export async function forEachReachable<T>(
  db: Db,
  items: readonly T[],
  appIdOf: (item: T) => string,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  let nodes: ReadonlyMap<string, number> = new Map();
  const away = new Map<number | undefined, unknown>();
  for (const item of items) {
    const appId = appIdOf(item);
    if (away.has(nodes.get(appId))) continue;
    try {
      await work(item);
    } catch (error) {
      if (!isNodeAway(error)) throw error;
      if (nodes.size === 0) nodes = await nodesOfApps(db, items.map(appIdOf));
      away.set(nodes.get(appId), error);
    }
  }
  for (const error of away.values()) throw error;
}

/** A node of the cluster. */
export interface ClusterNode {
  readonly host: string;
  readonly port: number;
}

const ANSWERS_WITHIN = '6s';

/** The nodes that do not answer; none without a cluster. */
export async function listNodesAway(db: Db): Promise<ClusterNode[]> {
  if (!isShared(db)) return [];
  return await db.transaction().execute(async (tx) => {
    const { rows: clusters } = await sql`select where to_regclass('pg_dist_node') is not null`.execute(tx);
    if (clusters.length === 0) return [];
    await sql.raw(`set local statement_timeout = '${ANSWERS_WITHIN}'`).execute(tx);
    const { rows } = await sql<ClusterNode>`
      select nodename as host, nodeport as port
      from run_command_on_workers('select 1') where not success order by 1, 2`.execute(tx);
    return rows;
  });
}
