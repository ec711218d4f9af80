/**
 * An index finds a link of an app by its code: on a cluster on the app's node alone. Processes of the previous version may
 * keep running.
 */
import { type Kysely, sql } from 'kysely';

export async function linksByCode(db: Kysely<unknown>): Promise<void> {
  await sql.raw('create index links_by_code on links (app_id, short_code)').execute(db);
}
