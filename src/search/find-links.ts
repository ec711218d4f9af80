import { type SqlBool, sql } from 'kysely';
import type { Actor } from '../auth/index.ts';
import type { Db, LinksTable } from '../db/index.ts';
import { readNamedLink } from '../links/index.ts';
import { type Found, MAX_OF_TYPE } from './found.ts';

/** After all others that begin with the same text, byte by byte. */
const LAST = '\u{10FFFF}';
const MIN_CHARACTERS = 3;

/** Links with a code or path, or whose code or path begins with the text; of a whole short URL the link. Without deleted ones. */
export async function findLinks(db: Db, actor: Actor, text: string): Promise<Found[]> {
  const { code, path } = readNamedLink(text);
  const [byCode, byPath] = await Promise.all([
    findBeginning(db, actor, 'short_code', code),
    findBeginning(db, actor, 'path', path),
  ]);
  return [...byCode, ...byPath].map((link) => {
    const address = `/${link.path ?? link.short_code}`;
    return {
      isWhole: link.short_code === code || (path !== null && link.path === path),
      result: {
        type: 'link',
        id: link.short_code,
        label: link.og_title === null ? address : `${address}, ${link.og_title}`,
        at: link.created_at,
      },
    };
  });
}

type FoundLink = Pick<LinksTable, 'short_code' | 'path' | 'og_title' | 'created_at'>;

async function findBeginning(
  db: Db,
  actor: Actor,
  column: 'short_code' | 'path',
  beginning: string | null,
): Promise<FoundLink[]> {
  if (beginning === null || beginning.length < MIN_CHARACTERS) return [];
  return await db
    .selectFrom('links')
    .select(['short_code', 'path', 'og_title', 'created_at'])
    .where('app_id', '=', actor.appId)
    .where(column, '>=', beginning)
    .where(column, '<', beginning + LAST)
    .where('deleted_at', 'is', null)
    .$if(actor.mode === 'test', (query) => query.where('sandbox', '=', 1))
    .orderBy(column)
    .limit(MAX_OF_TYPE)
    .execute();
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
