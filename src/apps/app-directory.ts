import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { type Remembered, remember } from '../platform/remember.ts';
import type { AppRow } from './app.ts';
import { findApp } from './queries.ts';

/** The settings of apps by their id. `get` throws AppError `app.not_found` where there is no such app. */
export type AppDirectory = Remembered<AppRow>;

/** Nothing is read before an app is asked for. Whoever changes an app has it forgotten here. */
export function createAppDirectory(ctx: Ctx): AppDirectory {
  return remember(ctx.clock, async (appId) => {
    const app = await findApp(ctx.db, appId);
    if (app === undefined) throw new AppError('app.not_found');
    return app;
  });
}
