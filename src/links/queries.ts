import { type Expression, sql, type Updateable } from 'kysely';
import { type Actor, canSee } from '../auth/index.ts';
import { type Db, type Flag, isAmong, type LinksTable, type Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { chunks } from '../lib/chunks.ts';
import { isShortCode, type LinkRow } from './link.ts';
import { listNewLinks } from './lists/listed.ts';
import { readNamedLink } from './look-up/link-address.ts';

const CAMPAIGNS_AT_ONCE = 200;

/** The only query on links without an app: finds it. */
export async function findShortCode(
  db: Db,
  code: string,
): Promise<{ app_id: string; link_id: string } | undefined> {
  return await db
    .selectFrom('short_codes')
    .select(['app_id', 'link_id'])
    .where('code', '=', code)
    .executeTakeFirst();
}

/** Ignores codes that are taken, possibly by a deleted link. @returns the codes that were free. */
export async function insertShortCodes(
  db: Db,
  appId: string,
  codes: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const inserted = await db
    .insertInto('short_codes')
    // In one order, so that calls with the same codes do not wait for each other both.
    .values([...codes].sort().map(([code, linkId]) => ({ code, app_id: appId, link_id: linkId })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('code')
    .execute();
  return new Set(inserted.map(({ code }) => code));
}

/** Of links that were not stored after all, in the transaction that inserted the codes. */
export async function deleteShortCodes(db: Db, codes: readonly string[]): Promise<void> {
  if (codes.length > 0) await db.deleteFrom('short_codes').where('code', 'in', codes).execute();
}

/**
 * With what lists find them by. The short codes must have been inserted in the same transaction. Ignores links whose path
 * another link has or had: new ids are unique.
 */
export async function insertLinks(tx: Transaction, links: readonly LinkRow[]): Promise<LinkRow[]> {
  if (links.length === 0) return [];
  const inOrder = links.toSorted((a, b) => ((a.path ?? '') < (b.path ?? '') ? -1 : 1));
  const inserted = await tx
    .insertInto('links')
    .values(inOrder)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute();
  await listNewLinks(tx, inserted);
  return inserted;
}

/** Finds deleted links too. */
export async function findLink(db: Db, appId: string, linkId: string): Promise<LinkRow | undefined> {
  return await db
    .selectFrom('links')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', linkId)
    .executeTakeFirst();
}

/** The short codes of links by ID, deleted links included. */
export async function findShortCodes(
  db: Db,
  appId: string,
  linkIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (linkIds.length === 0) return new Map();
  const links = await db
    .selectFrom('links')
    .select(['id', 'short_code'])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', linkIds))
    .execute();
  return new Map(links.map(({ id, short_code }) => [id, short_code]));
}

/** The links that an install made and that are not deleted, and the clicks of all of them. @param clicks of a row of `links`. */
export async function countLinksOfInviter(
  db: Db,
  { appId, installId, sandbox }: { appId: string; installId: string; sandbox: Flag },
  clicks: Expression<number>,
): Promise<{ links: number; clicks: number }> {
  const { rows, clicks: sum } = await db
    .selectFrom('links')
    .select([
      sql<number>`cast(sum(case when deleted_at is null then 1 else 0 end) as bigint)`.as('rows'),
      sql<number>`cast(sum(${clicks}) as bigint)`.as('clicks'),
    ])
    .where('app_id', '=', appId)
    .where('invited_by', '=', installId)
    .where('sandbox', '=', sandbox)
    .executeTakeFirstOrThrow();
  // Null without links.
  return { links: Number(rows ?? 0), clicks: Number(sum ?? 0) };
}

/** The installs that made links, by the ID of the link; `FORGOTTEN_INVITER` for those that are not known any more. */
export async function listInviters(
  db: Db,
  appId: string,
  linkIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (linkIds.length === 0) return new Map();
  const links = await db
    .selectFrom('links')
    .select(['id', 'invited_by'])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', linkIds))
    .where('invited_by', 'is not', null)
    .execute();
  return new Map(links.map(({ id, invited_by }) => [id, invited_by ?? '']));
}

/** Those of campaigns that a link has or had, as far as the caller sees links. */
export async function listKnownCampaigns(
  db: Db,
  { appId, mode }: Actor,
  campaigns: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const some of chunks(campaigns, CAMPAIGNS_AT_ONCE)) {
    const rows = await db
      .selectFrom('links')
      .select('campaign_id')
      .distinct()
      .where('app_id', '=', appId)
      .where('campaign_id', 'in', some)
      .$if(mode === 'test', (query) => query.where('sandbox', '=', sql.lit(1)))
      .execute();
    for (const { campaign_id } of rows) known.add(campaign_id ?? '');
  }
  return known;
}

/** Without deleted links, in no particular order. */
export async function findLinks(db: Db, appId: string, ids: readonly string[]): Promise<LinkRow[]> {
  return await db
    .selectFrom('links')
    .selectAll()
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    .where('deleted_at', 'is', null)
    .execute();
}

/** Without deleted links, by code; without those that the caller may not see. */
export async function readLinks(
  db: Db,
  actor: Actor,
  codes: readonly string[],
): Promise<ReadonlyMap<string, LinkRow>> {
  const wanted = codes.filter(isShortCode);
  if (wanted.length === 0) return new Map();
  const links = await db
    .selectFrom('links')
    .selectAll()
    .where('app_id', '=', actor.appId)
    .where('short_code', 'in', wanted)
    .where('deleted_at', 'is', null)
    .execute();
  return new Map(links.filter((link) => canSee(actor, link)).map((link) => [link.short_code, link]));
}

/** @throws AppError `link.not_found` for unknown and deleted links, other apps' links, and live links with a test key. */
export async function readLink(
  db: Db,
  { actor, shortCode }: { actor: Actor; shortCode: string },
): Promise<LinkRow> {
  const link = (await readLinks(db, actor, [shortCode])).get(shortCode);
  if (link === undefined) throw new AppError('link.not_found');
  return link;
}

/**
 * Of deleted links too; undefined if no link of the app has had it.
 * @param name a short code, a path or a whole short URL.
 */
export async function findLinkIdByName(db: Db, appId: string, name: string): Promise<string | undefined> {
  const { code, path } = readNamedLink(name);
  const find = async (column: 'short_code' | 'path', value: string | null) =>
    value === null
      ? undefined
      : await db
          .selectFrom('links')
          .select('id')
          .where('app_id', '=', appId)
          .where(column, '=', value)
          .executeTakeFirst();
  const link = (await find('short_code', code)) ?? (await find('path', path));
  return link?.id;
}

/** Deleted links too, in no particular order. */
export async function listLinksByCode(db: Db, appId: string, codes: readonly string[]): Promise<LinkRow[]> {
  return await db
    .selectFrom('links')
    .selectAll()
    .where('app_id', '=', appId)
    .where('short_code', 'in', codes)
    .execute();
}

/** @returns the links; without those that were deleted or are not visible to the caller. */
export async function updateLinks(
  tx: Transaction,
  { appId, mode }: Actor,
  linkIds: readonly string[],
  changes: Updateable<LinksTable>,
): Promise<LinkRow[]> {
  return await tx
    .updateTable('links')
    .set(changes)
    .where('app_id', '=', appId)
    .where('id', 'in', linkIds)
    .where('deleted_at', 'is', null)
    .$if(mode === 'test', (query) => query.where('sandbox', '=', 1))
    .returningAll()
    .execute();
}
