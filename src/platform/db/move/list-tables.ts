import { sql } from 'kysely';
import type { Store } from '../store.ts';
import type { Tables } from '../tables.ts';

/** A table with everything that has to be known to read it in order. */
export interface TableToMove {
  readonly name: keyof Tables;
  /** In one order for both databases. */
  readonly columns: readonly string[];
  /** What tells its rows from one another, column by column. */
  readonly key: readonly string[];
  /** As many as the source holds. */
  readonly rows: number;
}

/** What a database's processes tell each other: it says nothing in another database. */
const SERVERS_OWN: ReadonlySet<string> = new Set<keyof Tables>([
  'journals',
  'leases',
  'moves',
  'retention_clock',
]);

/**
 * Every table of an embedded database whose rows are moved, by name. Where a table counts its rows as they arrive, the
 * numbers are this file's own, and its key is what is declared unique.
 */
export async function listTables({ db }: Store): Promise<TableToMove[]> {
  const { rows } = await sql<{ name: keyof Tables; columns: string; key: string }>`
    select t.name as name,
      (select json_group_array(c.name order by c.name) from pragma_table_info(t.name) c
        where c.name <> 'arrival') as columns,
      coalesce(
        (select json_group_array(c.name order by c.pk) from pragma_table_info(t.name) c
          where c.pk > 0 and c.name <> 'arrival' having count(*) > 0),
        (select json_group_array(c.name order by c.seqno)
          from pragma_index_list(t.name) i join pragma_index_info(i.name) c where i.origin = 'u')) as key
    from sqlite_schema t
    where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'
      and t.name not like 'schema\\_migrations%' escape '\\'
    order by t.name`.execute(db);
  const tables: TableToMove[] = [];
  for (const { name, columns, key } of rows.filter(({ name }) => !SERVERS_OWN.has(name)))
    tables.push({
      name,
      columns: JSON.parse(columns) as string[],
      key: JSON.parse(key) as string[],
      rows: await countRows(db, name),
    });
  return tables;
}

async function countRows(db: Store['db'], table: keyof Tables): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
