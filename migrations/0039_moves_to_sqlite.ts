/**
 * Tells a move of the database's data to a SQLite file from one to the database. Processes of the previous version go on:
 * they read other columns.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function movesToSqlite(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await sql.raw(`alter table moves add column target ${t.text}`).execute(db);
}
