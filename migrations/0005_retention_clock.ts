/**
 * The newest time that retention has seen, so that a leap of the clock is noticed before anything is dropped.
 * Processes of the version before may keep running: they do not know the table and drop by their own clock.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/platform/db/index.ts';

export async function retentionClock(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await sql
    .raw(
      `create table retention_clock (
      id ${t.integer} not null primary key check (id = 1),
      seen_at ${t.timestamp} not null
    )${t.tableSuffix}`,
    )
    .execute(db);
  // The last use of a key is older than the migration: a clock that is ahead during the upgrade is noticed too.
  const now = t.engine === 'postgres' ? 'now()' : "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";
  await sql
    .raw(
      `insert into retention_clock (id, seen_at)
      select 1, coalesce(max(coalesce(last_used_at, created_at)), ${now}) from api_keys`,
    )
    .execute(db);
}
