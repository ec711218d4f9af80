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
  await sql
    .raw(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'refused' using errcode = 'connection_failure'; end $$`)
    .execute(db);
  await sql
    .raw(`create trigger refuse before insert on ${table} for each row execute function refuse()`)
    .execute(db);
}
