/**
 * Invitations, set-up addresses and keys remember the user who made them, users whether their email is proven, and there
 * are addresses for new passwords. Processes of the previous version may keep running: what they make has no author, so
 * their invitations are not accepted.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function authorsOfAccess(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  for (const statement of statements(t)) await sql.raw(statement).execute(db);
}

function statements(t: ColumnTypes): string[] {
  return [
    `alter table users add column email_proven_at ${t.timestamp}`,
    // Signing in by OpenID Connect has always needed a verified email.
    'update users set email_proven_at = created_at where oidc_subject is not null',
    `alter table invitations add column made_by ${t.uuid}`,
    `alter table invitations add column mailed_token_hash ${t.text}`,
    'create unique index invitations_by_mailed_token on invitations (mailed_token_hash)',
    `alter table api_keys add column made_by ${t.uuid}`,
    `alter table setup_tokens add column made_by ${t.uuid}`,
    `alter table setup_tokens add column email ${t.text}`,
    `create table password_resets (
      token_hash ${t.text} not null primary key,
      user_id ${t.uuid} not null,
      made_by ${t.uuid},
      is_mailed ${t.flag} not null,
      created_at ${t.timestamp} not null
    )${t.tableSuffix}`,
    'create index password_resets_by_user on password_resets (user_id)',
  ];
}
