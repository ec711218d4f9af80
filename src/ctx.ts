import type { Registry } from 'prom-client';
import type { Config } from './config.ts';
import type { Db, Store } from './db/index.ts';
import type { Clock } from './lib/clock.ts';
import type { Ids } from './lib/ids.ts';
import type { Log } from './lib/log.ts';
import type { Secrets } from './lib/secrets.ts';

/** Dependencies of all operations. */
export interface Ctx {
  readonly config: Config;
  readonly store: Store;
  /** The store's database; inside a transaction, that transaction. */
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly metrics: Registry;
}

/** Runs `work` in a transaction, which is the `db` of its context. */
export async function inTransaction<C extends Ctx, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  return await ctx.db.transaction().execute((db) => work({ ...ctx, db }));
}
