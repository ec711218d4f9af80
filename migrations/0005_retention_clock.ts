/**
 * Stores the newest time that retention has trusted, to detect a leap of the clock before records are dropped. Processes
 * of the previous version may keep running; they drop records by their own clock.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function retentionClock(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await sql
    .raw(
      `create table retention_clock (
      id ${t.integer} not null primary key check (id = 1),
      seen_at ${t.timestamp} not null
    )${t.tableSuffix}`,
    )
    .execute(db);
  // Starts with the last use of a key, to detect a clock that is ahead during the upgrade.
  const now = t.engine === 'postgres' ? 'now()' : "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";
  await sql
    .raw(
      `insert into retention_clock (id, seen_at)
      select 1, coalesce(max(coalesce(last_used_at, created_at)), ${now}) from api_keys`,
    )
    .execute(db);
}
