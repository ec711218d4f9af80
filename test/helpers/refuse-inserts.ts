/** A table that refuses rows, as a failing part of the database does. */
import { sql } from 'kysely';
import { type Database, type Db, isShared } from '../../src/db/index.ts';

/** Each new row fails as a broken connection to a server does. */
export async function refuseInserts(db: Db, table: keyof Database): Promise<void> {
  if (!isShared(db)) {
    await sql
      .raw(`create trigger refuse before insert on ${table} begin select raise(abort, 'refused'); end`)
      .execute(db);
    return;
  }
  await changeTriggers(db, [
    `create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'refused' using errcode = 'connection_failure'; end $$`,
    `create trigger refuse before insert on ${table} for each row execute function refuse()`,
  ]);
}

/** Runs statements on triggers, which Citus refuses on distributed tables unless told that they are safe. */
export async function changeTriggers(db: Db, statements: readonly string[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (isShared(tx)) await sql`set local citus.enable_unsafe_triggers to on`.execute(tx);
    for (const statement of statements) await sql.raw(statement).execute(tx);
  });
}
