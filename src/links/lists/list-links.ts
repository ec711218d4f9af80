/** The list of an app's links, without deleted ones. */
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { hostNameOf } from '../../apps/index.ts';
import type { Actor } from '../../auth/index.ts';
import { type Database, type Db, isAmong } from '../../db/index.ts';
import type { LinkRow } from '../link.ts';
import { prefixesOf, readLinkAddress, SHORT_LINK_PATH } from '../look-up/link-address.ts';
import { tagKey } from './tags.ts';
import { patternOf } from './words.ts';

interface LinkFilter {
  readonly campaignId: string | null;
  readonly sandboxOnly: boolean;
  /** By the team, or by the app for its users; by both if left out. */
  readonly madeBy?: 'team' | 'app' | undefined;
  /** In whatever spelling. */
  readonly tag?: string | undefined;
  /** Part of a code, path, campaign, path in the app or title; or a whole short URL. */
  readonly text?: string | undefined;
  /** Where paths of the app's links are. */
  readonly ownHost?: string | null;
  readonly expiry?: { readonly state: 'active' | 'expired'; readonly now: string } | null;
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
  { sortBy = null, order = 'desc', limit, offset, ...filter }: LinkPage,
): Promise<LinkRow[]> {
  const { query, id } = found(db, appId, filter);
  const page = filtered(query, filter)
    .$if(sortBy !== null, (each) => each.orderBy(sortBy ?? sql`0`, order))
    // IDs are UUIDv7, which sort by creation time.
    .orderBy(id, sortBy === null ? order : 'desc')
    .limit(limit)
    .offset(offset);
  if (sortBy === null) return await page.selectAll('links').execute();
  // Sorting whole rows takes up to twice the time.
  return await db
    .selectFrom('links')
    .selectAll()
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', page.select('links.id')))
    .orderBy(sortBy, order)
    .orderBy('id', 'desc')
    .execute();
}

type Links = SelectQueryBuilder<Database, 'links', object>;

/**
 * The links with a tag and a text, and their id. The table that finds them is read in the order of the ids, so that the
 * first page ends early; `cross` keeps SQLite from reading all links in its place.
 */
function found(
  db: Db,
  appId: string,
  { tag, text, ownHost = null }: LinkFilter,
): { readonly query: Links; readonly id: RawBuilder<string> } {
  const place = text === undefined ? undefined : placeIn(text.trim(), ownHost);
  const words = text === undefined || place !== undefined ? null : hasWords(patternOf(text.trim()));
  const id = sql.ref<string>('found.link_id');
  const links = db.selectFrom('links').where('links.app_id', '=', appId) as Links;
  if (tag !== undefined) {
    const tagged = db
      .selectFrom('link_tags as found')
      .crossJoin('links')
      .where('found.app_id', '=', appId)
      .where('found.tag', '=', tagKey(tag))
      .where('links.app_id', '=', appId)
      .whereRef('links.id', '=', 'found.link_id') as unknown as Links;
    return { query: words === null ? atPlace(tagged, appId, place) : withWords(tagged, appId, words), id };
  }
  if (words === null) return { query: atPlace(links, appId, place), id: sql.ref('links.id') };
  return { query: linksWith(db, appId, words), id };
}

function linksWith(db: Db, appId: string, words: RawBuilder<SqlBool>): Links {
  return db
    .selectFrom('link_texts as found')
    .crossJoin('links')
    .where('found.app_id', '=', appId)
    .where(words)
    .where('links.app_id', '=', appId)
    .whereRef('links.id', '=', 'found.link_id') as unknown as Links;
}

function withWords(links: Links, appId: string, words: RawBuilder<SqlBool>): Links {
  return links.where(({ exists, selectFrom }) =>
    exists(
      selectFrom('link_texts')
        .select('link_texts.link_id')
        .where('link_texts.app_id', '=', appId)
        .whereRef('link_texts.link_id', '=', 'links.id')
        .where(words),
    ),
  );
}

/** A subquery, since in the order of the ids SQLite would read all links. */
function atPlace(links: Links, appId: string, place: Place | undefined): Links {
  if (place === undefined) return links;
  return links.where('links.id', 'in', ({ selectFrom }) => {
    const ofApp = selectFrom('links as named').select('named.id').where('named.app_id', '=', appId);
    return place.code === undefined
      ? ofApp.where(isAtPath(place.path ?? ''))
      : ofApp.where('named.short_code', '=', place.code);
  });
}

/** Links with the path in whatever letters, and those with `passPath` above it. */
export function isAtPath(path: string): RawBuilder<SqlBool> {
  const whole = path.toLowerCase();
  const paths = [whole, ...prefixesOf(whole).map((above) => above.path)];
  return sql`lower(path) in (${sql.join(paths)}) and (lower(path) = ${whole} or pass_path = ${sql.lit(1)})`;
}

function filtered(links: Links, { campaignId, sandboxOnly, madeBy, expiry }: LinkFilter): Links {
  let query = links.where('links.deleted_at', 'is', null);
  if (campaignId !== null) query = query.where('links.campaign_id', '=', campaignId);
  if (sandboxOnly) query = query.where('links.sandbox', '=', sql.lit(1));
  if (madeBy !== undefined)
    query = query.where('links.invited_by', madeBy === 'team' ? 'is' : 'is not', null);
  if (expiry == null) return query;
  const { state, now } = expiry;
  if (state === 'expired') return query.where('links.expires_at', '<=', now);
  return query.where(({ or, eb }) =>
    or([eb('links.expires_at', 'is', null), eb('links.expires_at', '>', now)]),
  );
}

function hasWords(pattern: string) {
  return sql<SqlBool>`words like ${pattern} escape '\\'`;
}

/** The newest links with a text in a title. */
export async function findLinksByTitle(
  db: Db,
  { appId, mode }: Actor,
  { text, limit }: { text: string; limit: number },
): Promise<LinkRow[]> {
  return await linksWith(db, appId, hasWords(patternOf(text, { ofTitles: true })))
    .selectAll('links')
    .where('links.deleted_at', 'is', null)
    .$if(mode === 'test', (query) => query.where('links.sandbox', '=', sql.lit(1)))
    .orderBy(sql.ref('found.link_id'), 'desc')
    .limit(limit)
    .execute();
}

interface Place {
  readonly code?: string;
  readonly path?: string;
}

/** Of an address that was copied without its scheme. */
const HOST_FIRST = /^[\w-]+([.:][\w-]+)+\//;

/** Of a whole short URL what it is the address of; undefined for another text. */
export function placeIn(text: string, ownHost: string | null): Place | undefined {
  const url = URL.parse(HOST_FIRST.test(text) ? `https://${text}` : text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const [named = url.pathname] = new RegExp(`${SHORT_LINK_PATH}[^/]+(/.*)?$`).exec(url.pathname) ?? [];
  const address = readLinkAddress(named);
  if (address?.kind === 'code') return { code: address.code };
  if (ownHost === null || hostNameOf(url.hostname) !== ownHost || !address?.path) return undefined;
  return { path: address.path };
}
