/**
 * An index finds campaigns by their beginning, whatever the case of letters. Records tell when they were erased; those that
 * are erased already get the time of the app's last erasure. Stop processes of the previous version before: they erase
 * without a time.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function findRecords(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  for (const table of ['clicks', 'installs', 'opens', 'events']) {
    await sql.raw(`alter table ${table} add column erased_at ${t.timestamp}`).execute(db);
    const erased = [
      `update ${table} set erased_at = (select max(r.scrubbed_at) from erasure_requests r where r.app_id = ${table}.app_id)
         where erased = 1`,
      // Apart, since Citus refuses `now()` in `coalesce`.
      `update ${table} set erased_at = ${NOW[t.engine]} where erased = 1 and erased_at is null`,
    ];
    for (const statement of erased) await sql.raw(statement).execute(db);
  }
  await sql
    .raw('create index links_by_campaign_text on links (app_id, lower(campaign_id), campaign_id)')
    .execute(db);
}

const NOW = { sqlite: `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`, postgres: 'now()' } as const;
