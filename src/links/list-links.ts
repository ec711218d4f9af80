/** The list of an app's links, without deleted ones. */
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { hostNameOf } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import { type Database, type Db, isAmong } from '../db/index.ts';
import { decodeShortCode, type LinkRow } from './link.ts';
import { SHORT_LINK_PATH } from './link-address.ts';
import { tagKey } from './tags.ts';
import { patternOf } from './words.ts';

export interface LinkFilter {
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

type Links<Row> = SelectQueryBuilder<Database, 'links', Row>;

/** Without deleted links. */
export async function listLinks(
  db: Db,
  appId: string,
  { sortBy = null, order = 'desc', limit, offset, ...filter }: LinkPage,
): Promise<LinkRow[]> {
  const ofApp = db.selectFrom('links').where('app_id', '=', appId);
  // IDs are UUIDv7, which sort by creation time.
  const sorted = <Row>(query: Links<Row>) =>
    query
      .$if(sortBy !== null, (each) => each.orderBy(sortBy ?? sql`0`, order))
      .orderBy('id', sortBy === null ? order : 'desc');
  const page = sorted(filtered(ofApp, appId, filter))
    .limit(limit)
    .offset(offset);
  if (sortBy === null) return await page.selectAll().execute();
  // Sorting whole rows takes up to twice the time.
  return await sorted(ofApp.where(isAmong(db, 'id', page.select('id'))))
    .selectAll()
    .execute();
}

function filtered<Row>(links: Links<Row>, appId: string, filter: LinkFilter): Links<Row> {
  const { campaignId, sandboxOnly, madeBy, tag, text, expiry } = filter;
  let query = links.where('deleted_at', 'is', null);
  if (campaignId !== null) query = query.where('campaign_id', '=', campaignId);
  if (sandboxOnly) query = query.where('sandbox', '=', sql.lit(1));
  if (madeBy !== undefined) query = query.where('invited_by', madeBy === 'team' ? 'is' : 'is not', null);
  if (tag !== undefined)
    query = query.where('id', 'in', ({ selectFrom }) =>
      selectFrom('link_tags').select('link_id').where('app_id', '=', appId).where('tag', '=', tagKey(tag)),
    );
  if (text !== undefined)
    query = searched(query, appId, { text: text.trim(), ownHost: filter.ownHost ?? null });
  if (expiry == null) return query;
  const { state, now } = expiry;
  if (state === 'expired') return query.where('expires_at', '<=', now);
  return query.where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
}

function searched<Row>(
  links: Links<Row>,
  appId: string,
  { text, ownHost }: { text: string; ownHost: string | null },
): Links<Row> {
  const place = placeIn(text, ownHost);
  if (place?.code !== undefined) return links.where('short_code', '=', place.code);
  if (place?.path !== undefined) return links.where(sql<string>`lower(path)`, '=', place.path.toLowerCase());
  return links.where('id', 'in', ({ selectFrom }) =>
    selectFrom('link_texts')
      .select('link_id')
      .where('app_id', '=', appId)
      .where(hasWords(patternOf(text))),
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
  return await db
    .selectFrom('links')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('link_texts')
        .select('link_id')
        .where('app_id', '=', appId)
        .where(hasWords(patternOf(text, { ofTitles: true }))),
    )
    .$if(mode === 'test', (query) => query.where('sandbox', '=', sql.lit(1)))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Of an address that was copied without its scheme. */
const HOST_FIRST = /^[\w-]+([.:][\w-]+)+\//;

/** Of a whole short URL what it is the address of; undefined for another text. */
export function placeIn(
  text: string,
  ownHost: string | null,
): { readonly code?: string; readonly path?: string } | undefined {
  const url = URL.parse(HOST_FIRST.test(text) ? `https://${text}` : text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const [, code] = new RegExp(`${SHORT_LINK_PATH}([^/]+)/?$`).exec(url.pathname) ?? [];
  if (code !== undefined) return { code: decodeShortCode(code) };
  const path = url.pathname.replaceAll(/^\/+|\/+$/g, '');
  return ownHost !== null && path !== '' && hostNameOf(url.hostname) === ownHost ? { path } : undefined;
}
