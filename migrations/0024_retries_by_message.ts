/**
 * The log of attempts tells when the next one of a message is. The index has retries alone, so that first attempts, which
 * are nearly all, cost nothing more. Processes of the previous version may keep running.
 */
import { type Kysely, sql } from 'kysely';

export async function retriesByMessage(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create index webhook_queue_retries on webhook_queue (app_id, webhook_id, message_id)
        where failed_attempts > 0 or deferrals > 0`,
    )
    .execute(db);
}
