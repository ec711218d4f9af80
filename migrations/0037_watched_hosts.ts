/** What was last found of the host of each app. Processes of the previous version may keep running: they look at none. */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function watchedHosts(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await sql
    .raw(
      `create table watched_hosts (
        app_id ${t.uuid} not null,
        host ${t.text} not null,
        next_look_at ${t.timestamp} not null,
        looked_at ${t.timestamp},
        certificate_ends_at ${t.timestamp},
        checks ${t.text} not null,
        primary key (app_id, host)
      )${t.tableSuffix}`,
    )
    .execute(db);
}
