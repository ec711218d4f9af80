import { sql } from 'kysely';
import type { Store } from '../../db/store.ts';
import type { Database } from '../../schema/tables.ts';

/** A table and the metadata to read it in key order. */
export interface TableToMove {
  readonly name: keyof Database;
  /** In the same order for both databases. */
  readonly columns: readonly string[];
  /** The columns of the unique key. */
  readonly key: readonly string[];
  /** Whether SQLite numbers the rows by arrival, which must be about the order of their ids: matching relies on it. */
  readonly isByArrival: boolean;
  /** The row count of the source. */
  readonly rows: number;
}

/** State of the processes of one database, meaningless in another. */
const PROCESS_TABLES: ReadonlySet<string> = new Set<keyof Database>([
  'journals',
  'leases',
  'moves',
  'retention_clock',
]);

/**
 * The tables to move, by name, with the number of rows of `source`. The column `arrival` belongs to one SQLite file and is
 * not moved; the key of such a table is its unique index.
 * @param schema a migrated SQLite file, which tells columns and keys.
 */
export async function listTables({
  schema: { db },
  source,
}: {
  schema: Pick<Store, 'db'>;
  source: Pick<Store, 'db'>;
}): Promise<TableToMove[]> {
  const { rows } = await sql<{ name: keyof Database; columns: string; key: string; arrivals: number }>`
    select t.name as name,
      (select json_group_array(c.name order by c.name) from pragma_table_info(t.name) c
        where c.name <> 'arrival') as columns,
      coalesce(
        (select json_group_array(c.name order by c.pk) from pragma_table_info(t.name) c
          where c.pk > 0 and c.name <> 'arrival' having count(*) > 0),
        (select json_group_array(c.name order by c.seqno)
          from pragma_index_list(t.name) i join pragma_index_info(i.name) c where i.origin = 'u')) as key,
      (select count(*) from pragma_table_info(t.name) c where c.name = 'arrival') as arrivals
    from sqlite_schema t
    where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'
      and t.name not like 'schema\\_migrations%' escape '\\'
    order by t.name`.execute(db);
  const tables: TableToMove[] = [];
  for (const { name, columns, key, arrivals } of rows.filter(({ name }) => !PROCESS_TABLES.has(name)))
    tables.push({
      name,
      columns: JSON.parse(columns) as string[],
      key: JSON.parse(key) as string[],
      isByArrival: arrivals > 0,
      rows: await countRows(source.db, name),
    });
  return tables;
}

async function countRows(db: Store['db'], table: keyof Database): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
