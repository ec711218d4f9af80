/**
 * Root secrets that were replaced: the keys derived from each, encrypted by the present one. Processes of the previous
 * version may keep running until the root secret is rotated.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function formerSecrets(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await sql
    .raw(
      `create table former_secrets (
      mark ${t.text} not null primary key,
      keys ${t.text} not null,
      replaced_at ${t.timestamp} not null,
      reencrypted_at ${t.timestamp}
    )${t.tableSuffix}`,
    )
    .execute(db);
}
