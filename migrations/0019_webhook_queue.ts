/**
 * The queue of attempts is named after what it holds. Stop processes of the previous version before: they know only the
 * former name. What waits stays.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

const INDEXES = {
  due: '(webhook_id, next_attempt_at) where status = 0',
  leased: '(lease_until) where status = 1',
};

export async function webhookQueue(db: Kysely<unknown>, { engine }: ColumnTypes): Promise<void> {
  await sql.raw('alter table webhook_deliveries rename to webhook_queue').execute(db);
  for (const [name, columns] of Object.entries(INDEXES)) {
    const [former, now] = [`webhook_deliveries_${name}`, `webhook_queue_${name}`];
    const statements =
      engine === 'postgres'
        ? [`alter index ${former} rename to ${now}`]
        : // SQLite renames no index.
          [`drop index ${former}`, `create index ${now} on webhook_queue ${columns}`];
    for (const statement of statements) await sql.raw(statement).execute(db);
  }
}
