/**
 * On SQLite the rows of `pending_counts` lie in the order of their arrival, in one tree: rows with random IDs took a page
 * of an index for each install, and a fold, which takes some of them, rewrote nearly all pages.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function pendingInOrder(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  if (t.engine === 'postgres') return;
  const statements = [
    'create table pending_counts_before as select app_id, facts from pending_counts',
    'drop table pending_counts',
    `create table pending_counts (
      app_id ${t.uuid} not null,
      id text not null default (printf('%.3f %s', unixepoch('subsec'), hex(randomblob(8)))),
      facts ${t.text} not null,
      primary key (app_id, id)
    )${t.keyedTableSuffix}`,
    'insert into pending_counts (app_id, facts) select app_id, facts from pending_counts_before',
    'drop table pending_counts_before',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
