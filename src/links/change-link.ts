import { type AppDirectory, reviseLinks } from '../apps/index.ts';
import { recordChanges } from '../audit/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { changedFields } from './changed-fields.ts';
import { refusalOfPaths } from './check-path.ts';
import { columnsOf } from './columns.ts';
import type { LinkRow } from './link.ts';
import { linkChange } from './link-change.ts';
import type { LinkDirectory } from './link-directory.ts';
import type { LoopFinder } from './loops.ts';
import * as queries from './queries.ts';
import { readLink } from './queries.ts';
import type { LinkRule } from './rules.ts';
import type { WriteLinkInput } from './schemas.ts';

export interface ChangeDeps extends Pick<Foundation, 'db' | 'clock' | 'ids'> {
  readonly linkDirectory: LinkDirectory;
}

export interface UpdateDeps extends ChangeDeps {
  readonly appDirectory: AppDirectory;
  readonly loops: LoopFinder;
}

/** A change that is checked and not stored; of a deletion too. */
export interface LinkEdit {
  /** As it was read. */
  readonly link: LinkRow;
  readonly action: 'link.updated' | 'link.deleted';
  readonly columns: Partial<LinkRow>;
}

/** @throws AppError `link.not_found`, `link.path_taken`, `request.invalid`. */
export async function updateLink(
  deps: UpdateDeps,
  { actor, shortCode, changes: given }: { actor: Actor; shortCode: string; changes: WriteLinkInput },
): Promise<LinkRow> {
  const edit = editOf(deps, { actor, link: await readLink(deps.db, { actor, shortCode }), given });
  await refuseLoop(deps, edit);
  return await storeEdit(deps, actor, edit);
}

/** Keeps the row: the code is never reused, and the link's clicks can still be claimed. */
export async function deleteLink(
  deps: ChangeDeps,
  { actor, shortCode }: { actor: Actor; shortCode: string },
): Promise<void> {
  await storeEdit(deps, actor, deletionOf(deps, await readLink(deps.db, { actor, shortCode })));
}

/** @throws AppError `request.invalid`. */
export function editOf(
  { clock }: Pick<Foundation, 'clock'>,
  { actor, link, given }: { actor: Actor; link: LinkRow; given: WriteLinkInput },
): LinkEdit {
  checkUnchanged(link, given);
  const nowMs = clock.nowMs();
  const columns = columnsOf(withoutPresentPath(link, withoutPresentExpiry(link, given)), actor, nowMs);
  return {
    ...{ link, action: 'link.updated' },
    columns: { ...withoutUndefined(columns), updated_at: isoTime(nowMs) },
  };
}

export function deletionOf({ clock }: Pick<Foundation, 'clock'>, link: LinkRow): LinkEdit {
  const now = isoTime(clock.nowMs());
  return { link, action: 'link.deleted', columns: { deleted_at: now, updated_at: now } };
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

/** Clients may write the same time in another form, such as with +00:00. */
function timeOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

const DESTINATIONS = [
  'ios_destination',
  'android_destination',
  'fallback_url',
  'expired_url',
  'rules',
] as const;

/** The link before and after, as a tap has it with the app's defaults; null if it leads where it did. */
async function stopsOf({ appDirectory }: Pick<UpdateDeps, 'appDirectory'>, { link, columns }: LinkEdit) {
  const after = { ...link, ...columns };
  if (DESTINATIONS.every((column) => link[column] === after[column])) return null;
  const app = await appDirectory.get(link.app_id);
  const stopOf = (row: LinkRow) => ({
    appId: row.app_id,
    shortCode: row.short_code,
    iosDestination: row.ios_destination ?? app.ios_destination,
    androidDestination: row.android_destination ?? app.android_destination,
    fallbackUrl: row.fallback_url ?? app.fallback_url,
    mayExpire: after.expires_at !== null,
    ...{ expiredUrl: row.expired_url, goneWhenExpired: after.gone_when_expired === 1 },
    rules: JSON.parse(row.rules) as LinkRule[],
  });
  return { before: stopOf(link), after: stopOf(after) };
}

/**
 * A link in a circle that came up later, such as by a new host of an app, can still be changed and ended.
 * @throws AppError `request.invalid` if the new destinations make a circle.
 */
export async function refuseLoop(
  deps: Pick<UpdateDeps, 'appDirectory' | 'loops'>,
  edit: LinkEdit,
): Promise<void> {
  const stops = await stopsOf(deps, edit);
  if (stops !== null) await deps.loops.refuseChange(stops.before, stops.after);
}

/** Whether the change makes the link lead to a short link, so that it may close a circle. */
export async function leadsElsewhere(
  deps: Pick<UpdateDeps, 'appDirectory' | 'loops'>,
  edit: LinkEdit,
): Promise<boolean> {
  const stops = await stopsOf(deps, edit);
  return stops !== null && (await deps.loops.leadsToLinks(stops.after));
}

/** @throws AppError `link.not_found`, `link.path_taken`. */
async function storeEdit(deps: ChangeDeps, actor: Actor, edit: LinkEdit): Promise<LinkRow> {
  const [stored] = await deps.db
    .transaction()
    .execute((tx) => storeEdits(tx, deps, { actor, edits: [edit] }))
    .catch(queries.rethrowPathTaken);
  if (stored === undefined || stored instanceof AppError) throw stored;
  deps.linkDirectory.invalidate({ appId: actor.appId, id: stored.id, shortCode: stored.short_code });
  return stored;
}

/**
 * Stores changes of different links with their entries in the audit log. One that cannot be stored spoils no other.
 * @param batch of a call with several links, for the audit log.
 * @returns for each, in order, the link, or AppError `link.not_found` or `link.path_taken`.
 * @throws the unique violation of a path that another call takes at the same moment.
 */
export async function storeEdits(
  tx: Transaction,
  deps: Pick<Foundation, 'clock' | 'ids'>,
  { actor, edits, batch }: { actor: Actor; edits: readonly LinkEdit[]; batch?: string },
): Promise<(LinkRow | AppError)[]> {
  const outcomes: (LinkRow | AppError)[] = [];
  for (const edit of edits) outcomes.push(await storeRow(tx, actor, edit));
  const changes = edits.flatMap(({ link, action, columns }, place) => {
    if (outcomes[place] instanceof AppError) return [];
    const changed =
      action === 'link.updated'
        ? { changes: changedFields(link, { ...columns, updated_at: undefined }) }
        : {};
    return [linkChange(actor, link, { action, ...changed }, batch)];
  });
  // Last, since all other changes of the app's links wait for it.
  if (changes.length > 0) await reviseLinks(tx, actor.appId);
  await recordChanges(tx, deps, changes);
  return outcomes;
}

async function storeRow(
  tx: Transaction,
  actor: Actor,
  { link, columns }: LinkEdit,
): Promise<LinkRow | AppError> {
  const { path } = columns;
  const withoutHost = path ? await refusalOfPaths(tx, actor.appId) : null;
  if (withoutHost !== null) return withoutHost;
  if (path != null && path !== link.path && (await queries.isPathTaken(tx, actor.appId, path)))
    return new AppError('link.path_taken');
  const updated = await queries.updateLink(tx, actor, link.id, columns);
  return updated ?? new AppError('link.not_found');
}
