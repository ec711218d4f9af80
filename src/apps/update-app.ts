import { type ChangedBy, changedValues, recordChange } from '../audit/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import type { Destinations } from './app.ts';
import { type AppRow, DAILY_EVENT_DEFAULTS } from './app.ts';
import type { AppDirectory } from './app-directory.ts';
import { APP_LINKS_DEFAULTS, appLinksFields, appLinksOf } from './app-links.ts';
import { columnsOf } from './columns.ts';
import type { HostDirectory } from './host-directory.ts';
import * as queries from './queries.ts';
import { presentApp, type UpdateAppInput } from './schemas.ts';
import { rethrowHostTaken } from './short-link-host.ts';

export type AppDeps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'config'> & {
  readonly appDirectory: AppDirectory;
  readonly hostDirectory: HostDirectory;
  /** @throws AppError `request.invalid` for defaults that lead links in a circle. */
  readonly refuseDefaults: (appId: string, defaults: Required<Destinations>) => Promise<void>;
};

const DEFAULTS = ['iosDestination', 'androidDestination', 'fallbackUrl'] as const;

function defaultsOf(app: AppRow): Required<Destinations> {
  return {
    iosDestination: app.ios_destination,
    androidDestination: app.android_destination,
    fallbackUrl: app.fallback_url,
  };
}

interface AppChange {
  readonly appId: string;
  readonly changes: UpdateAppInput;
  readonly by: ChangedBy;
  /** For operators: the disk is theirs. */
  readonly mayRaiseBounds: boolean;
}

/** Affects the app's links within a second, in all processes. @throws AppError `app.not_found`, `app.host_taken`, `request.invalid`. */
export async function updateApp(
  { db, clock, ids, config, appDirectory, hostDirectory, refuseDefaults }: AppDeps,
  { appId, changes, by, mayRaiseBounds }: AppChange,
): Promise<AppRow> {
  const updatedAt = isoTime(clock.nowMs());
  const columns = { ...columnsOf(config, changes), updated_at: updatedAt };
  if (DEFAULTS.some((field) => changes[field] !== undefined)) {
    const app = await queries.findApp(db, appId);
    if (app !== undefined) await refuseDefaults(appId, defaultsOf({ ...app, ...columns }));
  }
  const updated = await db.transaction().execute(async (tx) => {
    const before = await queries.findApp(tx, appId);
    if (!mayRaiseBounds) refuseHigherBounds(before, changes);
    const app = await queries.updateApp(tx, appId, columns).catch(rethrowHostTaken);
    if (app === undefined || before === undefined) throw new AppError('app.not_found');
    const change = { appId, recordId: appId, sandbox: 0, about: { name: app.name } } as const;
    const altered = { changes: changedValues(loggedFields(before), loggedFields(app)) };
    await recordChange(tx, { clock, ids }, { ...change, ...altered, action: 'app.updated', by });
    return app;
  });
  appDirectory.forget(appId);
  await hostDirectory.refresh();
  return updated;
}

function loggedFields(app: AppRow): Readonly<Record<string, unknown>> {
  const { updatedAt: _, appLinks, ...fields } = presentApp(app);
  return { ...fields, ...appLinksFields(appLinks) };
}

function refuseHigherBounds(app: AppRow | undefined, changes: UpdateAppInput): void {
  if (app === undefined) return;
  const linksPerDay = Math.max(appLinksOf(app)?.perDay ?? 0, APP_LINKS_DEFAULTS.perDay);
  const bounds = [
    ['dailyEventLimit', app.daily_event_limit, DAILY_EVENT_DEFAULTS.limit, changes.dailyEventLimit],
    ['dailyEventBytes', app.daily_event_bytes, DAILY_EVENT_DEFAULTS.bytes, changes.dailyEventBytes],
    ['appLinks.perDay', linksPerDay, APP_LINKS_DEFAULTS.perDay, changes.appLinks?.perDay],
  ] as const;
  for (const [field, stored, fallback, given] of bounds) {
    const max = stored ?? fallback;
    if (given === undefined || (given ?? fallback) <= max) continue;
    throw new AppError('request.invalid', {
      message: `${field} may be at most ${max} here. An operator raises it with PATCH /v1/admin/apps/${app.id}.`,
    });
  }
}
