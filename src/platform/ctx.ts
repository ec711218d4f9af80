import type { Registry } from 'prom-client';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Db, Store } from './db/index.ts';
import type { Ids } from './ids.ts';
import type { Log } from './log.ts';
import type { Secrets } from './secrets.ts';
import type { Siblings } from './workers/index.ts';

/** What every verb is given: nothing in the code reaches for the clock, the database or the log by itself. */
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
  /** The workers of this machine; null in a process that serves alone. */
  readonly siblings: Siblings | null;
}

/** Runs `work` in one transaction; its context's `db` is that transaction. */
export async function inTransaction<C extends Ctx, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  return await ctx.db.transaction().execute((db) => work({ ...ctx, db }));
}
