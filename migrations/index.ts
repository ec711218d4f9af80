import type { Migrations } from '../src/platform/db/index.ts';
import { initial } from './0001_initial.ts';
import { dailyUsage } from './0006_daily_usage.ts';

/** All migrations in order. A released one is never changed; a new one gets the next number. */
export const migrations: Migrations = (types) => ({
  '0001_initial': { up: (db) => initial(db, types) },
  '0006_daily_usage': { up: (db) => dailyUsage(db, types) },
});
