import { sql } from 'kysely';
import type { Store } from './store.ts';

/** Every index that migrations make beside the keys of tables. What they promise, and how fast statements are, rests on them. */
export const INDEXES = [
  'apps_by_short_link_host',
  'apps_by_store_id',
  'audit_log_of_deliveries',
  'clicks_by_address',
  'clicks_by_address_of_others',
  'erased_addresses_by_time',
  'erasure_requests_pending',
  'event_ids_by_event',
  'events_by_install',
  'events_by_user',
  'idempotency_keys_by_age',
  'installs_by_address',
  'installs_by_time',
  'installs_by_user',
  'links_by_campaign',
  'links_of_sandbox',
  'opens_by_address',
  'opens_by_install',
  'opens_by_user',
  'postbacks_by_day',
  'postbacks_by_verdict',
  'postbacks_not_verified',
  'postbacks_once',
  'webhook_attempts_answered',
  'webhook_attempts_by_event_type',
  'webhook_attempts_by_webhook',
  'webhook_deliveries_due_by_webhook',
  'webhook_messages_by_record',
  'webhook_messages_erased',
];

/** The indexes that can be used; on PostgreSQL not one that a part of its table lacks. */
export async function listIndexNames({
  db,
  engine,
}: Pick<Store, 'db' | 'engine'>): Promise<ReadonlySet<string>> {
  const { rows } =
    engine === 'sqlite'
      ? await sql<{ name: string }>`select name from sqlite_schema where type = 'index'`.execute(db)
      : await sql<{ name: string }>`
          select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
          where relnamespace = current_schema()::regnamespace and indisvalid`.execute(db);
  return new Set(rows.map(({ name }) => name));
}
