import { type AppDirectory, type AppRow, reviseLinks } from '../apps/index.ts';
import { recordChanges } from '../audit/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { changedFields } from './changed-fields.ts';
import type { LinkRule } from './choice/rules.ts';
import type { LoopFinder, Stop } from './circles/loops.ts';
import { columnsOf } from './columns.ts';
import type { LinkRow } from './link.ts';
import { linkChange } from './link-change.ts';
import { listChangedLinks } from './lists/listed.ts';
import { refusalOfPaths } from './look-up/check-path.ts';
import type { LinkDirectory } from './look-up/link-directory.ts';
import { isPathTaken, rethrowPathTaken } from './look-up/path-queries.ts';
import * as queries from './queries.ts';
import { readLink } from './queries.ts';
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
  readonly at: string;
  readonly columns: Partial<LinkRow>;
}

/** @throws AppError `link.not_found`, `link.path_taken`, `request.invalid`. */
export async function updateLink(
  deps: UpdateDeps,
  { actor, shortCode, changes: given }: { actor: Actor; shortCode: string; changes: WriteLinkInput },
): Promise<LinkRow> {
  const link = await readLink(deps.db, { actor, shortCode });
  const edit = editOf({ actor, link, given, nowMs: deps.clock.nowMs() });
  await refuseLoop(deps, edit);
  return await storeEdit(deps, actor, edit);
}

/** Keeps the row: the code is never reused, and the link's clicks can still be claimed. */
export async function deleteLink(
  deps: ChangeDeps,
  { actor, shortCode }: { actor: Actor; shortCode: string },
): Promise<void> {
  await storeEdit(deps, actor, deletionOf(await readLink(deps.db, { actor, shortCode }), deps.clock.nowMs()));
}

/** @throws AppError `request.invalid`. */
export function editOf({
  actor,
  link,
  given,
  nowMs,
}: {
  actor: Actor;
  link: LinkRow;
  given: WriteLinkInput;
  nowMs: number;
}): LinkEdit {
  checkUnchanged(link, given);
  const columns = columnsOf(withoutPresentPath(link, withoutPresentExpiry(link, given)), actor, nowMs);
  return { link, action: 'link.updated', at: isoTime(nowMs), columns: withoutUndefined(columns) };
}

export function deletionOf(link: LinkRow, nowMs: number): LinkEdit {
  const at = isoTime(nowMs);
  // The root of the host stays free for the next link of its long links.
  const freed = link.path === '' ? { path: null } : {};
  return { link, action: 'link.deleted', at, columns: { deleted_at: at, ...freed } };
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

/** Which decide where visitors are led. */
const LEADING = [
  ...(['ios_destination', 'android_destination', 'fallback_url', 'expired_url', 'rules'] as const),
  ...(['path', 'pass_path', 'expires_at', 'gone_when_expired'] as const),
];

/** The link before and after, as taps have it; null if it leads where it did. */
async function stopsOf({ appDirectory }: Pick<UpdateDeps, 'appDirectory'>, { link, columns }: LinkEdit) {
  const after = { ...link, ...columns };
  if (LEADING.every((column) => link[column] === after[column])) return null;
  const app = await appDirectory.get(link.app_id);
  return { before: stopOfRow(link, app), after: stopOfRow(after, app) };
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
    .catch(rethrowPathTaken);
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
  const stored = new Map<LinkEdit, LinkRow | AppError>();
  // Many links mostly get the same, by one statement.
  for (const same of Map.groupBy(edits, sameness).values())
    for (const [edit, outcome] of await storeRows(tx, { actor, edits: same })) stored.set(edit, outcome);
  const changed = edits.filter((edit) => !(stored.get(edit) instanceof AppError));
  await listChangedLinks(
    tx,
    changed.map((edit) => ({ link: stored.get(edit) as LinkRow, changes: edit.columns })),
  );
  // Late, since all other changes of the app's links wait for it.
  if (changed.length > 0) await reviseLinks(tx, actor.appId);
  const changes = changed.map(({ link, action, columns }) =>
    action === 'link.deleted'
      ? linkChange(actor, link, { action }, batch)
      : linkChange(actor, link, { action, changes: changedFields(link, columns) }, batch),
  );
  await recordChanges(tx, deps, changes);
  return edits.map((edit) => stored.get(edit) as LinkRow | AppError);
}

/** A path is checked by itself. */
function sameness({ link, action, at, columns }: LinkEdit): string {
  return JSON.stringify([action, at, columns, columns.path == null ? null : link.id]);
}

/** @param edits that do the same. */
async function storeRows(
  tx: Transaction,
  { actor, edits }: { actor: Actor; edits: readonly LinkEdit[] },
): Promise<(readonly [LinkEdit, LinkRow | AppError])[]> {
  const [first] = edits;
  if (first === undefined) return [];
  const { path } = first.columns;
  const withoutHost = path ? await refusalOfPaths(tx, actor.appId) : null;
  if (withoutHost !== null) return [[first, withoutHost]];
  if (path != null && path !== first.link.path && (await isPathTaken(tx, actor.appId, path)))
    return [[first, new AppError('link.path_taken')]];
  const updated = await queries.updateLinks(
    tx,
    actor,
    edits.map(({ link }) => link.id),
    { ...first.columns, updated_at: first.at },
  );
  const byId = new Map(updated.map((link) => [link.id, link]));
  return edits.map((edit) => [edit, byId.get(edit.link.id) ?? new AppError('link.not_found')]);
}
