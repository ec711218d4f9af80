import { type SqlBool, sql } from 'kysely';
import type { Actor } from '../auth/index.ts';
import type { Db, LinksTable } from '../db/index.ts';
import { findLinksByTitle, findTags, isAtPath, type LinkRow, placeIn, tagKey } from '../links/index.ts';
import { type Found, MAX_OF_TYPE } from './found.ts';

/** After all others that begin with the same text, byte by byte. */
const LAST = '\u{10FFFF}';
const MIN_CODE = 3;
const MIN_TITLE = 2;

/**
 * Links with a code or a path, whose code begins with the text, or with it in a title; of a whole short URL the link that
 * it is the address of. Deleted ones by their code or path alone.
 */
export async function findLinks(
  db: Db,
  actor: Actor,
  { text, ownHost }: { text: string; ownHost: string | null },
): Promise<Found[]> {
  const place = placeIn(text, ownHost) ?? { code: text, path: text.replace(/^\//, '') };
  const isUrl = place.code === undefined || place.path === undefined;
  const [byPath, byCode, byTitle] = await Promise.all([
    place.path === undefined ? [] : findByPath(db, actor, place.path),
    place.code === undefined || place.code.length < MIN_CODE ? [] : findByCode(db, actor, place.code),
    isUrl || text.length < MIN_TITLE ? [] : findLinksByTitle(db, actor, { text, limit: MAX_OF_TYPE }),
  ]);
  const found = new Map([...byPath, ...byCode, ...byTitle].map((link) => [link.id, link]));
  return [...found.values()]
    .toSorted((a, b) => Number(a.deleted_at !== null) - Number(b.deleted_at !== null))
    .slice(0, MAX_OF_TYPE)
    .map((link) => ({
      isWhole: link.short_code === place.code || byPath.some(({ id }) => id === link.id),
      result: {
        ...{ type: 'link', id: link.short_code, label: labelOf(link), at: link.created_at },
        ...(link.deleted_at !== null && { deletedAt: link.deleted_at }),
      },
    }));
}

type LinkFound = Pick<
  LinkRow,
  'id' | 'short_code' | 'path' | 'title' | 'og_title' | 'created_at' | 'deleted_at'
>;

function linksOf(db: Db, { appId, mode }: Actor) {
  return db
    .selectFrom('links')
    .select(['id', 'short_code', 'path', 'title', 'og_title', 'created_at', 'deleted_at'])
    .where('app_id', '=', appId)
    .$if(mode === 'test', (query) => query.where('sandbox', '=', 1))
    .limit(MAX_OF_TYPE);
}

async function findByCode(db: Db, actor: Actor, code: string): Promise<LinkFound[]> {
  return await linksOf(db, actor)
    .where('short_code', '>=', code)
    .where('short_code', '<', code + LAST)
    .orderBy('short_code')
    .execute();
}

async function findByPath(db: Db, actor: Actor, path: string): Promise<LinkFound[]> {
  return await linksOf(db, actor).where(isAtPath(path)).execute();
}

/** Such as `/spring, Poster in the hall`. */
function labelOf({ short_code, path, title, og_title }: LinkFound): string {
  const name = title ?? og_title;
  return `/${path ?? short_code}${name === null ? '' : `, ${name}`}`;
}

/** The beginnings of tags, in whatever capitals. */
export async function findTagsOfLinks(db: Db, actor: Actor, text: string): Promise<Found[]> {
  const tags = await findTags(db, actor, { text, limit: MAX_OF_TYPE });
  return tags.map((tag) => ({
    isWhole: tagKey(tag) === tagKey(text),
    result: { type: 'tag', id: tag, label: tag, at: null },
  }));
}

/** Campaigns of links that begin with the text, without regard to the case of ASCII letters. */
export async function findCampaigns(db: Db, { appId, mode }: Actor, text: string): Promise<Found[]> {
  const start = lowerAscii(text);
  const lower = sql<string>`lower(campaign_id)`;
  const campaigns: string[] = [];
  // Each step skips the other links of a campaign.
  for (let place = [start, '']; campaigns.length < MAX_OF_TYPE; ) {
    const next: Pick<LinksTable, 'campaign_id'> | undefined = await db
      .selectFrom('links')
      .select('campaign_id')
      .where('app_id', '=', appId)
      .where(sql<SqlBool>`(${lower}, campaign_id) > (${sql.join(place)})`)
      .where(lower, '<', start + LAST)
      .where('deleted_at', 'is', null)
      .$if(mode === 'test', (query) => query.where('sandbox', '=', 1))
      .orderBy(lower)
      .orderBy('campaign_id')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined || next.campaign_id === null) break;
    campaigns.push(next.campaign_id);
    place = [lowerAscii(next.campaign_id), next.campaign_id];
  }
  return campaigns.map((campaign) => ({
    isWhole: lowerAscii(campaign) === start,
    result: { type: 'campaign', id: campaign, label: campaign, at: null },
  }));
}

/** As both databases do. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
