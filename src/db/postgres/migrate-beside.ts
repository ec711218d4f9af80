/** Migrations beside processes that serve: a statement that waits for a table makes all later ones wait behind it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { SECOND_MS } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { faultOf } from '../faults.ts';
import { MigrationFailed } from '../migrate.ts';
import type { Db, Store } from '../store.ts';

const LOCK = 'throughline migrations';
/** Longer than processes that start together normally wait for each other. */
const WARN_AFTER_MS = SECOND_MS;
/** For how long requests may wait behind a migration that gets no lock, and then go on before the next attempt. */
const LOCK_WAIT_MS = 2 * SECOND_MS;
const PAUSE_MS = 3 * SECOND_MS;
/** PostgreSQL's `lock_not_available` and `deadlock_detected` (Appendix A of its manual). */
const NO_LOCK = /^(55P03|40P01)$/;

/** Starts over while other sessions hold the tables; `openMigrated` logs that it waits. */
export async function migrateBeside<T>(
  { withoutTimeout, log }: Pick<Store, 'withoutTimeout'> & { log: Log },
  migrate: (db: Db, lock: (tx: Db) => Promise<void>) => Promise<T>,
): Promise<T> {
  for (;;)
    try {
      return await withoutTimeout((db) => migrate(db, lockMigrations(log)));
    } catch (error) {
      const cause = error instanceof MigrationFailed ? error.cause : error;
      if (!NO_LOCK.test(String(faultOf(cause).code))) throw error;
      await sleep(PAUSE_MS);
    }
}

/** One process at a time. Released with the transaction, hence also when the process is killed. */
function lockMigrations(log: Log): (tx: Db) => Promise<void> {
  return async (tx) => {
    const warning = setTimeout(
      () => log.warn('Another process is migrating the database; waiting until it is done'),
      WARN_AFTER_MS,
    );
    await sql`select pg_advisory_xact_lock(hashtext(${LOCK}))`
      .execute(tx)
      .finally(() => clearTimeout(warning));
    // From here on, since processes wait for each other without a limit.
    await sql`select set_config('lock_timeout', ${String(LOCK_WAIT_MS)}, true)`.execute(tx);
  };
}
