import { sql } from 'kysely';
import { StartError } from '../../errors.ts';
import { CITUS_TABLES, type CitusTable } from '../../schema/placements.ts';
import type { Db } from '../store.ts';

/**
 * Tables that are not yet distributed, or not yet known to Citus.
 * @throws StartError when a table is distributed by another column.
 */
export async function listUndistributed(db: Db): Promise<readonly CitusTable[]> {
  const knownTables = await readCitusTables(db);
  return CITUS_TABLES.filter(({ table, by }) => {
    const known = knownTables.get(table);
    if (known !== undefined && known !== by)
      throw new StartError(
        `Table ${table} is distributed by ${known ?? 'nothing'}, not by ${by ?? 'nothing'}. Run there: select undistribute_table('${table}').`,
      );
    return known === undefined;
  });
}

/**
 * @throws StartError when only some of the tables are distributed: statements over both kinds may fail, and tables of a
 * later version would grow on the coordinator.
 */
export async function assertFullyDistributed(db: Db): Promise<void> {
  if (!(await isCitus(db))) return;
  const missing = await listUndistributed(db);
  if (missing.length > 0 && missing.length < CITUS_TABLES.length)
    throw new StartError(
      `Some tables of the database of DATABASE_URL are not distributed (${missing.map(({ table }) => table).join(', ')}). Run: throughline db distribute.`,
    );
}

async function isCitus(db: Db): Promise<boolean> {
  const { rows } = await sql<{ citus: boolean }>`
    select to_regclass('pg_dist_partition') is not null as citus`.execute(db);
  return rows[0]?.citus === true;
}

/** Whether the tables are distributed over the nodes of a cluster. */
export async function isDistributed(db: Db): Promise<boolean> {
  return (await isCitus(db)) && (await listUndistributed(db)).length === 0;
}

/** The distribution columns of the tables that Citus knows; null on the coordinator. */
async function readCitusTables(db: Db): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await sql<{ table: string; by: string | null }>`
    select relname as table, case partmethod when 'h' then column_to_column_name(logicalrelid, partkey) end as by
    from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
    where (partmethod = 'h' or partmethod = 'n' and repmodel = 's') and relnamespace = current_schema()::regnamespace`.execute(
    db,
  );
  return new Map(rows.map(({ table, by }) => [table, by]));
}
