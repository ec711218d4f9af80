import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { type Cache, createCache } from '../lib/cache.ts';
import type { AppRow } from './app.ts';
import { findApp } from './queries.ts';

/** Apps by id. `get` throws AppError `app.not_found`. */
export type AppDirectory = Cache<AppRow>;

export function createAppDirectory({ db, clock }: Pick<Foundation, 'db' | 'clock'>): AppDirectory {
  return createCache(clock, async (appId) => {
    const app = await findApp(db, appId);
    if (app === undefined) throw new AppError('app.not_found');
    return app;
  });
}
