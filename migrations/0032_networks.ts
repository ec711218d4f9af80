/**
 * What an ad network says of an install: Apple's answer for a token, Meta's block in the referrer, Google's click IDs.
 * Processes of the previous version may keep running: they leave the columns null.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function networks(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    `alter table apps add column apple_ads ${t.flag}`,
    `alter table apps add column meta_referrer_key ${t.text}`,
    `alter table installs add column network ${t.json}`,
    `alter table installs add column network_name ${t.text}`,
    `alter table installs add column network_campaign ${t.text}`,
    `alter table installs add column network_trace ${t.json}`,
    `alter table installs add column google_click_ids ${t.json}`,
    // Those to drop after 180 days.
    'create index installs_by_google_click on installs (app_id, installed_at) where google_click_ids is not null',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
