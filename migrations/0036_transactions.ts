/**
 * Events tell the transaction that they were sent with, and whether its revenue was counted before. Processes of the previous
 * version may keep running: they store neither.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function transactions(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await sql.raw(`alter table events add column transaction_id ${t.text}`).execute(db);
  await sql.raw(`alter table events add column repeats_transaction ${t.flag}`).execute(db);
}
