/**
 * Webhooks that a test key created receive sandbox events only; existing ones receive all. Processes of the previous
 * version may keep running; until they stop, they send live events to such webhooks, and theirs receive all.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function sandboxWebhooks(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await sql.raw(`alter table webhooks add column sandbox_only ${t.flag} not null default 0`).execute(db);
}
