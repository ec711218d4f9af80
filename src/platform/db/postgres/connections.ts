import { Kysely, PostgresAdapter, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Log } from '../../log.ts';
import type { Db } from '../store.ts';
import type { Tables } from '../tables.ts';

/** Connections to one database. What breaks fails what was asked of it, and ends neither the pool nor the process. */
export function openPool(config: pg.PoolConfig, log: Log): pg.Pool {
  const pool = new pg.Pool(config);
  // An idle one that breaks is replaced by the next query.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  // One that breaks in a transaction fails its statements, which is all that has to be known.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Does something that may take longer than any request's statement, on connections of its own. */
export type Patiently = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** @param settings with limits of time only where the work has some. */
export function onOwnConnections(settings: pg.PoolConfig, log: Log): Patiently {
  return async (work) => {
    const pool = openPool({ ...settings, max: 2 }, log);
    const db = new Kysely<Tables>({ dialect: new PatientDialect({ pool }) });
    return await work(db).finally(() => db.destroy());
  };
}

class PatientDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new UnlockedAdapter();
  }
}

/** Migrations lock by their transaction (`lockMigrations`): Kysely's lock cannot be let go of in one that failed. */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
