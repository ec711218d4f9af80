import type { Registry } from 'prom-client';
import type { Config } from './config.ts';
import type { Db, Store } from './db/index.ts';
import type { Clock } from './lib/clock.ts';
import type { Ids } from './lib/ids.ts';
import type { Log } from './lib/log.ts';
import type { Secrets } from './lib/secrets.ts';

/** What modules share. Each names what it needs: `Pick<Foundation, 'db' | 'clock'>`. */
export interface Foundation {
  readonly config: Config;
  readonly store: Store;
  /** `store.db`, for the modules that only query. */
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly metrics: Registry;
}
