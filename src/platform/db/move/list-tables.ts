import { sql } from 'kysely';
import type { Store } from '../store.ts';
import type { Tables } from '../tables.ts';

/** A table with everything that has to be known to read it in order. */
export interface TableToMove {
  readonly name: keyof Tables;
  /** In one order for both databases. */
  readonly columns: readonly string[];
  /** Column by column. */
  readonly key: readonly string[];
  /** As many as the source holds. */
  readonly rows: number;
}

/** What a database's processes tell each other: it says nothing in another database. */
const SERVERS_OWN: ReadonlySet<string> = new Set<keyof Tables>(['journals', 'leases', 'moves']);

/**
 * Every table of an embedded database whose rows are moved, by name. The key is the one that is declared with the table,
 * also where the rows have numbers besides, in the order of their arrival: those are this file's own.
 */
export async function listTables({ db }: Store): Promise<TableToMove[]> {
  const { rows } = await sql<{ name: keyof Tables; columns: string; key: string }>`
    select t.name as name,
      (select json_group_array(c.name order by c.name) from pragma_table_info(t.name) c
        where c.name <> 'arrival') as columns,
      (select json_group_array(c.name order by c.seqno)
        from pragma_index_list(t.name) i join pragma_index_info(i.name) c where i.origin <> 'c') as key
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
