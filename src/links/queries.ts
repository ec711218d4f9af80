import {
  type ExpressionBuilder,
  type Insertable,
  type RawBuilder,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely';
import { type Actor, canSee } from '../auth/index.ts';
import { type Db, isAmong, isUniqueViolation, type LinksTable, type Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { chunks } from '../lib/chunks.ts';
import { isShortCode, type LinkRow } from './link.ts';
import { readNamedLink } from './link-address.ts';
import type { LinkRule } from './rules.ts';

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

/** @returns false if the code is taken, possibly by a deleted link. */
export async function insertShortCode(db: Db, code: string, appId: string, linkId: string): Promise<boolean> {
  const inserted = await db
    .insertInto('short_codes')
    .values({ code, app_id: appId, link_id: linkId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('code')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** The short code must have been inserted in the same transaction. Nullable columns may be left out. */
export async function insertLink(db: Db, link: Insertable<LinksTable>): Promise<LinkRow> {
  return await db.insertInto('links').values(link).returningAll().executeTakeFirstOrThrow();
}

/** A unique violation on a link is always about its path: new ids are unique. */
export function rethrowPathTaken(error: unknown): never {
  throw isUniqueViolation(error) ? new AppError('link.path_taken', { cause: error }) : error;
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

/** A rule that the link has or had. */
export async function findRule(
  db: Db,
  { appId, linkId, id }: { appId: string; linkId: string; id: string },
): Promise<LinkRule | undefined> {
  const row = await db
    .selectFrom('link_rules')
    .select('rule')
    .where('app_id', '=', appId)
    .where('link_id', '=', linkId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : (JSON.parse(row.rule) as LinkRule);
}

/** The names of rules by ID: equal ones have one ID on all links. Those without a name are left out. */
export async function findRuleNames(
  db: Db,
  appId: string,
  { linkIds, ids }: { linkIds: readonly string[]; ids: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('link_rules')
    .select(['id', 'rule'])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'link_id', linkIds))
    .where(isAmong(db, 'id', ids))
    .execute();
  return new Map(
    rows.flatMap(({ id, rule }) => {
      const { name } = JSON.parse(rule) as LinkRule;
      return name === undefined ? [] : [[id, name] as const];
    }),
  );
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

async function findLinkByCode(db: Db, appId: string, code: string): Promise<LinkRow | undefined> {
  return await db
    .selectFrom('links')
    .selectAll()
    .where('app_id', '=', appId)
    .where('short_code', '=', code)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** @throws AppError `link.not_found` for unknown and deleted links, other apps' links, and live links with a test key. */
export async function readLink(
  db: Db,
  { actor, shortCode }: { actor: Actor; shortCode: string },
): Promise<LinkRow> {
  const link = isShortCode(shortCode) ? await findLinkByCode(db, actor.appId, shortCode) : undefined;
  if (link === undefined || !canSee(actor, link)) throw new AppError('link.not_found');
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

interface LinkFilter {
  readonly campaignId: string | null;
  readonly sandboxOnly: boolean;
  /** Part of a code, campaign, path or title. */
  readonly search?: string | undefined;
  readonly expiry?: { readonly state: 'active' | 'expired'; readonly now: string } | null;
}

const SEARCHED = ['short_code', 'campaign_id', 'deep_link_path', 'og_title'] as const;

/** Without regard to the case of letters; on SQLite of ASCII letters alone. */
function containsText(text: string) {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  return ({ or }: ExpressionBuilder<{ links: LinksTable }, 'links'>) =>
    or(SEARCHED.map((column) => sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`));
}

interface LinkPage extends LinkFilter {
  /** What links are sorted by, equal ones newest first; by their creation if null or left out. */
  readonly sortBy?: RawBuilder<number> | null;
  /** Largest or newest first if left out. */
  readonly order?: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
}

/** Without deleted links. */
export async function listLinks(
  db: Db,
  appId: string,
  { sortBy = null, order = 'desc', ...page }: LinkPage,
): Promise<LinkRow[]> {
  let query = db.selectFrom('links').selectAll().where('app_id', '=', appId).where('deleted_at', 'is', null);
  if (page.campaignId !== null) query = query.where('campaign_id', '=', page.campaignId);
  if (page.sandboxOnly) query = query.where('sandbox', '=', sql.lit(1));
  if (page.search !== undefined) query = query.where(containsText(page.search));
  if (page.expiry != null) {
    const { state, now } = page.expiry;
    if (state === 'expired') query = query.where('expires_at', '<=', now);
    else query = query.where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
  }
  // IDs are UUIDv7, which sort by creation time.
  return await query
    .$if(sortBy !== null, (each) => each.orderBy(sortBy ?? sql`0`, order))
    .orderBy('id', sortBy === null ? order : 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

/** @returns undefined if the link was deleted or is not visible to the caller. */
export async function updateLink(
  tx: Transaction,
  { appId, mode }: Actor,
  linkId: string,
  changes: Updateable<LinksTable>,
): Promise<LinkRow | undefined> {
  return await tx
    .updateTable('links')
    .set(changes)
    .where('app_id', '=', appId)
    .where('id', '=', linkId)
    .where('deleted_at', 'is', null)
    .$if(mode === 'test', (query) => query.where('sandbox', '=', 1))
    .returningAll()
    .executeTakeFirst();
}
