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
import { metaKeyColumn } from './meta-referrer-key.ts';
import * as queries from './queries.ts';
import { presentApp, type UpdateAppInput } from './schemas.ts';
import { rethrowHostTaken } from './short-link-host.ts';

export type AppDeps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'config' | 'secrets'> & {
  readonly appDirectory: AppDirectory;
  readonly hostDirectory: HostDirectory;
  readonly refuseLoops: RefuseLoops;
};

/** What decides where an app leads visitors: as it will be, and which of it a change is about. */
export type RefuseLoops = (
  app: {
    readonly appId: string;
    readonly ownHost: string | null;
    readonly rootUrl: string | null;
    readonly notFoundUrl: string | null;
    readonly defaults: Required<Destinations>;
  },
  change: { readonly hasDefaults: boolean; readonly hasHostSettings: boolean },
  /** @throws AppError `request.invalid` for defaults or settings that lead in a circle. */
) => Promise<void>;

const DEFAULTS = ['iosDestination', 'androidDestination', 'fallbackUrl'] as const;
const HOST_SETTINGS = ['shortLinkHost', 'rootUrl', 'notFoundUrl'] as const;

/** @throws AppError `request.invalid` for a change that leads in a circle. */
export async function refuseLoopsOf(
  refuseLoops: RefuseLoops,
  app: Omit<AppRow, 'created_at' | 'updated_at'>,
  changes: UpdateAppInput,
): Promise<void> {
  const hasDefaults = DEFAULTS.some((field) => changes[field] !== undefined);
  const hasHostSettings = HOST_SETTINGS.some((field) => changes[field] !== undefined);
  if (!hasDefaults && !hasHostSettings) return;
  const { short_link_host: ownHost, root_url: rootUrl, not_found_url: notFoundUrl } = app;
  const defaults = {
    iosDestination: app.ios_destination,
    androidDestination: app.android_destination,
    fallbackUrl: app.fallback_url,
  };
  await refuseLoops(
    { appId: app.id, ownHost, rootUrl, notFoundUrl, defaults },
    { hasDefaults, hasHostSettings },
  );
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
  { db, clock, ids, config, secrets, appDirectory, hostDirectory, refuseLoops }: AppDeps,
  { appId, changes, by, mayRaiseBounds }: AppChange,
): Promise<AppRow> {
  const updatedAt = isoTime(clock.nowMs());
  const columns = {
    ...columnsOf(config, changes),
    ...metaKeyColumn({ secrets }, appId, changes),
    updated_at: updatedAt,
  };
  const present = await queries.findApp(db, appId);
  if (present !== undefined) await refuseLoopsOf(refuseLoops, { ...present, ...columns }, changes);
  const updated = await db.transaction().execute(async (tx) => {
    const before = await queries.findApp(tx, appId);
    if (!mayRaiseBounds) refuseHigherBounds(before, changes);
    const app = await queries.updateApp(tx, appId, columns).catch(rethrowHostTaken);
    if (app === undefined || before === undefined) throw new AppError('app.not_found');
    const change = { appId, recordId: appId, sandbox: 0, about: { name: app.name } } as const;
    const altered = { changes: changedValues(loggedFields(before), loggedFields(app), shownInLog) };
    await recordChange(tx, { clock, ids }, { ...change, ...altered, action: 'app.updated', by });
    return app;
  });
  appDirectory.forget(appId);
  await hostDirectory.refresh();
  return updated;
}

function loggedFields(app: AppRow): Readonly<Record<string, unknown>> {
  const {
    updatedAt: _,
    revenuecatEnabled: _r,
    hasMetaReferrerKey: _m,
    appLinks,
    ...fields
  } = presentApp(app);
  const secrets = {
    revenuecatAuthorization: app.revenuecat_key,
    metaReferrerKey: app.meta_referrer_key,
  };
  return { ...fields, ...secrets, ...appLinksFields(appLinks) };
}

/** Of a secret, that it changed. */
function shownInLog(name: string, value: unknown): unknown {
  return name === 'revenuecatAuthorization' || name === 'metaReferrerKey' ? undefined : value;
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
