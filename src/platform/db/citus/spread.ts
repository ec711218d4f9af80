import { sql } from 'kysely';
import { StartError } from '../../errors.ts';
import type { Db } from '../store.ts';
import { SPREAD_TABLES, type SpreadTable } from './placements.ts';

/**
 * The tables that are to be spread over the nodes of this Citus cluster and are not yet.
 * @throws StartError where one is spread by another column.
 */
export async function listNotSpread(db: Db): Promise<readonly SpreadTable[]> {
  const spread = await readSpread(db);
  return SPREAD_TABLES.filter(({ table, by }) => {
    const known = spread.get(table);
    if (known !== undefined && known !== by)
      throw new StartError(
        `Table ${table} is distributed by ${known}, not by ${by}. Run there: select undistribute_table('${table}').`,
      );
    return known === undefined;
  });
}

/**
 * @throws StartError where only some of the tables are distributed: a statement over both kinds may fail, and a table
 * that a later version brought would grow on the coordinator.
 */
export async function refusePartlySpread(db: Db): Promise<void> {
  const { rows } = await sql<{ citus: boolean }>`
    select to_regclass('pg_dist_partition') is not null as citus`.execute(db);
  if (rows[0]?.citus !== true) return;
  const missing = await listNotSpread(db);
  if (missing.length > 0 && missing.length < SPREAD_TABLES.length)
    throw new StartError(
      `Some tables of the database of DATABASE_URL are not distributed (${missing.map(({ table }) => table).join(', ')}). Run: throughline db distribute.`,
    );
}

/** The distributed tables, each with the column it is distributed by. */
async function readSpread(db: Db): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ table: string; by: string }>`
    select relname as table, column_to_column_name(logicalrelid, partkey) as by
    from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
    where partmethod = 'h' and relnamespace = current_schema()::regnamespace`.execute(db);
  return new Map(rows.map(({ table, by }) => [table, by]));
}
