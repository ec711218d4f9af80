import type { AppDirectory } from '../apps/index.ts';
import type { ClickLog, ClickWaiting } from '../click-log/index.ts';
import type { Config } from '../config.ts';
import type { Db, Store } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Countries } from '../lib/countries.ts';
import type { Ids } from '../lib/ids.ts';
import type { InFlight } from '../lib/in-flight.ts';
import type { Log } from '../lib/log.ts';
import type { Secrets } from '../lib/secrets.ts';
import type { LinkDirectory } from '../links/index.ts';
import type { Dispatcher, EnabledWebhooks } from '../webhooks/index.ts';
import type { InstallLimit } from './daily-limit.ts';

/** Dependencies of attribution. */
export interface AttributionDeps extends ClickWaiting {
  readonly store: Store;
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: Config;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly countries: Countries;
  readonly appDirectory: AppDirectory;
  readonly linkDirectory: LinkDirectory;
  readonly clickLog: Pick<ClickLog, 'applied'>;
  readonly webhooks: EnabledWebhooks;
  readonly dispatcher: Pick<Dispatcher, 'wake'>;
  readonly installLimit: InstallLimit;
  readonly recordings: InFlight;
}
