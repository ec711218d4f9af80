/**
 * Root secrets that were replaced: the keys derived from each, encrypted by the present one. Users who may not sign in.
 * Processes of the previous version may keep running until the root secret is rotated or a user is disabled.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function formerSecrets(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    `create table former_secrets (
      mark ${t.text} not null primary key,
      keys ${t.text} not null,
      replaced_at ${t.timestamp} not null,
      reencrypted_at ${t.timestamp}
    )${t.tableSuffix}`,
    `alter table users add column disabled_at ${t.timestamp}`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
