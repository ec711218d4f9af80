import { type Compilable, sql } from 'kysely';
import { type Actor, reviseLinks } from '../apps/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { Db, LinksTable } from '../platform/db/index.ts';
import type { LinkRow } from './link.ts';

/** Directory: the only look-up without an app. */
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

/** False when the code is taken, be it by a deleted link. */
export async function insertShortCode(db: Db, code: string, appId: string, linkId: string): Promise<boolean> {
  const inserted = await db
    .insertInto('short_codes')
    .values({ code, app_id: appId, link_id: linkId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('code')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** In the caller's transaction, which has taken the short code before: see `insertShortCode`. */
export async function insertLink(db: Db, link: LinksTable): Promise<void> {
  await db.insertInto('links').values(link).execute();
}

/** The link with this id, deleted or not. */
export async function findLink(db: Db, appId: string, linkId: string): Promise<LinkRow | undefined> {
  return await db
    .selectFrom('links')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', linkId)
    .executeTakeFirst();
}

/** The links with these ids, without those that were deleted. */
export async function findLinks(
  { db, store }: Ctx,
  appId: string,
  ids: readonly string[],
): Promise<LinkRow[]> {
  return await db
    .selectFrom('links')
    .selectAll()
    .where('app_id', '=', appId)
    .where(store.isAmong('id', ids))
    .where('deleted_at', 'is', null)
    .execute();
}

/** The link with this code, unless it is deleted. */
export async function findLinkByCode(db: Db, appId: string, code: string): Promise<LinkRow | undefined> {
  return await db
    .selectFrom('links')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', (codes) =>
      codes.selectFrom('short_codes').select('link_id').where('code', '=', code).where('app_id', '=', appId),
    )
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Newest first, without deleted ones. */
export async function listLinks(
  db: Db,
  appId: string,
  page: { campaignId: string | null; sandboxOnly: boolean; limit: number; offset: number },
): Promise<LinkRow[]> {
  let query = db.selectFrom('links').selectAll().where('app_id', '=', appId).where('deleted_at', 'is', null);
  if (page.campaignId !== null) query = query.where('campaign_id', '=', page.campaignId);
  if (page.sandboxOnly) query = query.where('sandbox', '=', sql.lit(1));
  // Identifiers carry the time of making, so their order is the order of age.
  return await query.orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute();
}

/** Commits a change with its record. The link as it is now; undefined where there is none that this caller may touch, or none any more. */
export async function updateLink(
  { db, store }: Ctx,
  { appId, mode }: Actor,
  linkId: string,
  changes: Partial<LinksTable>,
  record: Compilable,
): Promise<LinkRow | undefined> {
  const update = db
    .updateTable('links')
    .set(changes)
    .where('app_id', '=', appId)
    .where('id', '=', linkId)
    .where('deleted_at', 'is', null)
    .$if(mode === 'test', (query) => query.where('sandbox', '=', 1))
    .returning('id');
  const failed = await store.commit([update, reviseLinks(db, appId), record]);
  return failed === null ? await findLink(db, appId, linkId) : undefined;
}
