/**
 * The table of the identifiers that lead to a person's records, and the time when they were found, are named as in the
 * code. Processes of the previous version may keep running, but can neither take nor continue erasures.
 */
import { type Kysely, sql } from 'kysely';

export async function erasureIdentifiers(db: Kysely<unknown>): Promise<void> {
  await sql`alter table erasure_ways rename to erasure_identifiers`.execute(db);
  await sql`alter table erasure_requests rename column ways_found_at to identifiers_found_at`.execute(db);
}
