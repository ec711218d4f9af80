/**
 * Users of the console: accounts, their roles in apps, sessions and invitations. Tokens are stored as hashes. Processes of
 * the previous version may keep running: they accept no session.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function accounts(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  for (const statement of [...tables(t), ...INDEXES]) await sql.raw(statement).execute(db);
}

function tables(t: ColumnTypes): string[] {
  return [
    `create table users (
      id ${t.uuid} not null primary key,
      email ${t.text} not null,
      name ${t.text} not null,
      password_hash ${t.text},
      oidc_subject ${t.text},
      is_operator ${t.flag} not null,
      created_at ${t.timestamp} not null,
      last_used_at ${t.timestamp}
    )${t.tableSuffix}`,
    `create table memberships (
      app_id ${t.uuid} not null,
      user_id ${t.uuid} not null,
      role ${t.text} not null,
      created_at ${t.timestamp} not null,
      primary key (app_id, user_id)
    )${t.keyedTableSuffix}`,
    `create table sessions (
      id ${t.uuid} not null primary key,
      user_id ${t.uuid} not null,
      token_hash ${t.text} not null,
      user_agent ${t.text},
      created_at ${t.timestamp} not null,
      last_used_at ${t.timestamp} not null
    )${t.tableSuffix}`,
    `create table invitations (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      email ${t.text} not null,
      role ${t.text} not null,
      token_hash ${t.text} not null,
      created_at ${t.timestamp} not null,
      primary key (app_id, id)
    )${t.tableSuffix}`,
    `create table setup_tokens (
      id ${t.integer} not null primary key check (id = 1),
      token_hash ${t.text} not null,
      created_at ${t.timestamp} not null
    )${t.tableSuffix}`,
  ];
}

const INDEXES = [
  'create unique index users_by_email on users (email)',
  'create unique index users_by_oidc_subject on users (oidc_subject)',
  'create index memberships_by_user on memberships (user_id)',
  'create unique index sessions_by_token on sessions (token_hash)',
  'create index sessions_by_user on sessions (user_id)',
  'create unique index invitations_by_token on invitations (token_hash)',
  'create unique index invitations_by_email on invitations (app_id, email)',
];
