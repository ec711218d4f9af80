import { type AppDirectory, type AppRow, reviseLinks } from '../apps/index.ts';
import { type Change, recordChange } from '../audit/index.ts';
import { type Actor, authorOf } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { changedFields } from './changed-fields.ts';
import { requireOwnHost } from './check-path.ts';
import { columnsOf } from './columns.ts';
import type { LinkRow } from './link.ts';
import type { LinkDirectory } from './link-directory.ts';
import type { LoopFinder, Stop } from './loops.ts';
import * as queries from './queries.ts';
import { readLink } from './queries.ts';
import type { LinkRule } from './rules.ts';
import type { WriteLinkInput } from './schemas.ts';
import { keepRules, replaceTags } from './tags-and-rules.ts';

interface ChangeDeps extends Pick<Foundation, 'db' | 'clock' | 'ids'> {
  readonly linkDirectory: LinkDirectory;
}

interface UpdateDeps extends ChangeDeps {
  readonly appDirectory: AppDirectory;
  readonly loops: LoopFinder;
}

/** @throws AppError `link.not_found`, `request.invalid`. */
export async function updateLink(
  deps: UpdateDeps,
  { actor, shortCode, changes: given }: { actor: Actor; shortCode: string; changes: WriteLinkInput },
): Promise<LinkRow> {
  const link = await readLink(deps.db, { actor, shortCode });
  checkUnchanged(link, given);
  const changes = withoutPresentPath(link, withoutPresentExpiry(link, given));
  const nowMs = deps.clock.nowMs();
  const columns = columnsOf(changes, actor, nowMs);
  await refuseLoop(deps, link, { ...link, ...withoutUndefined(columns) });
  const change = linkChange(actor, link, {
    action: 'link.updated',
    changes: changedFields(link, columns),
  });
  const updated = await store(deps, { actor, linkId: link.id }, change, {
    ...columns,
    updated_at: isoTime(nowMs),
  });
  if (updated === undefined) throw new AppError('link.not_found');
  deps.linkDirectory.invalidate({ appId: actor.appId, id: link.id, shortCode });
  return updated;
}

/** @throws AppError `request.invalid` for another short code than the link's. */
function checkUnchanged(link: LinkRow, { shortCode }: WriteLinkInput): void {
  if (shortCode !== undefined && shortCode !== link.short_code)
    throw new AppError('request.invalid', {
      message: 'shortCode cannot be changed. Omit it, or send the present value.',
    });
}

/** So that a link that was read can be written back with `expiresInDays`. */
function withoutPresentExpiry(link: LinkRow, changes: WriteLinkInput): WriteLinkInput {
  const { expiresAt, expiresInDays, ...others } = changes;
  if (expiresAt === undefined || timeOf(expiresAt) !== timeOf(link.expires_at)) return changes;
  return typeof expiresInDays === 'number' ? { ...others, expiresInDays } : others;
}

/** So that a link that was read can be written back although its app has no host of its own any more. */
function withoutPresentPath(link: LinkRow, changes: WriteLinkInput): WriteLinkInput {
  const { path, ...others } = changes;
  return typeof path === 'string' && path.replace(/^\//, '') === link.path ? others : changes;
}

function withoutUndefined<T extends object>(columns: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** Which decide where visitors are led. */
const LEADING = [
  ...(['ios_destination', 'android_destination', 'fallback_url', 'expired_url', 'rules'] as const),
  ...(['path', 'pass_path', 'expires_at', 'gone_when_expired'] as const),
];

/**
 * A link in a circle that came up later, such as by a new host of an app, can still be changed and ended.
 * @throws AppError `request.invalid` if the new destinations make a circle.
 */
async function refuseLoop(
  { appDirectory, loops }: UpdateDeps,
  before: LinkRow,
  after: LinkRow,
): Promise<void> {
  if (LEADING.every((column) => before[column] === after[column])) return;
  const app = await appDirectory.get(after.app_id);
  // With the same end, so that a circle of before counts as one.
  const ending = { expires_at: after.expires_at, gone_when_expired: after.gone_when_expired };
  await loops.refuseChange(stopOfRow({ ...before, ...ending }, app), stopOfRow(after, app));
}

/** As taps have it: with the app's defaults. */
function stopOfRow(link: LinkRow, app: AppRow): Stop {
  return {
    appId: app.id,
    shortCode: link.short_code,
    path: link.path,
    passPath: link.pass_path === 1,
    rules: JSON.parse(link.rules) as LinkRule[],
    iosDestination: link.ios_destination ?? app.ios_destination,
    androidDestination: link.android_destination ?? app.android_destination,
    fallbackUrl: link.fallback_url ?? app.fallback_url,
    mayExpire: link.expires_at !== null,
    ...{ expiredUrl: link.expired_url, goneWhenExpired: link.gone_when_expired === 1 },
  };
}

/** Clients may write the same time in another form, such as with +00:00. */
function timeOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

/** Keeps the row: the code is never reused, and the link's clicks can still be claimed. */
export async function deleteLink(
  deps: ChangeDeps,
  { actor, shortCode }: { actor: Actor; shortCode: string },
): Promise<void> {
  const link = await readLink(deps.db, { actor, shortCode });
  const now = isoTime(deps.clock.nowMs());
  const change = linkChange(actor, link, { action: 'link.deleted' });
  await store(deps, { actor, linkId: link.id }, change, { deleted_at: now, updated_at: now });
  deps.linkDirectory.invalidate({ appId: actor.appId, id: link.id, shortCode });
}

/** With its entry in the audit log. @returns undefined if the link was deleted or is not visible to the caller. */
async function store(
  { db, clock, ids }: ChangeDeps,
  { actor, linkId }: { actor: Actor; linkId: string },
  change: Change,
  columns: Partial<LinkRow>,
): Promise<LinkRow | undefined> {
  return await db.transaction().execute(async (tx) => {
    if (columns.path) await requireOwnHost(tx, actor.appId);
    const updated = await queries.updateLink(tx, actor, linkId, columns).catch(queries.rethrowPathTaken);
    if (updated === undefined) return undefined;
    const of = { appId: actor.appId, linkId };
    if (columns.tags !== undefined) await replaceTags(tx, of, JSON.parse(updated.tags));
    if (columns.rules !== undefined) await keepRules(tx, of, JSON.parse(updated.rules));
    await reviseLinks(tx, actor.appId);
    await recordChange(tx, { clock, ids }, change);
    return updated;
  });
}

/** A link's change for the audit log. */
export function linkChange(
  actor: Actor,
  { id, short_code: shortCode, sandbox }: LinkRow,
  change: Pick<Change, 'action' | 'fields' | 'changes'>,
): Change {
  return { appId: actor.appId, by: authorOf(actor), recordId: id, sandbox, about: { shortCode }, ...change };
}
