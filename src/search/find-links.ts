import { type SqlBool, sql } from 'kysely';
import type { Actor } from '../auth/index.ts';
import type { Db, LinksTable } from '../db/index.ts';
import { decodeShortCode, SHORT_LINK_PATH } from '../links/index.ts';
import { type Found, MAX_OF_TYPE } from './found.ts';

/** After all others that begin with the same text, byte by byte. */
const LAST = '\u{10FFFF}';
const MIN_CODE = 3;

/** Links with a code, or whose code begins with the text; of a whole short link its code. Without deleted ones. */
export async function findLinks(db: Db, actor: Actor, text: string): Promise<Found[]> {
  const code = codeIn(text);
  if (code.length < MIN_CODE) return [];
  const rows = await db
    .selectFrom('links')
    .select(['short_code', 'og_title', 'created_at'])
    .where('app_id', '=', actor.appId)
    .where('short_code', '>=', code)
    .where('short_code', '<', code + LAST)
    .where('deleted_at', 'is', null)
    .$if(actor.mode === 'test', (query) => query.where('sandbox', '=', 1))
    .orderBy('short_code')
    .limit(MAX_OF_TYPE)
    .execute();
  return rows.map(({ short_code, og_title, created_at }) => ({
    isWhole: short_code === code,
    result: {
      type: 'link',
      id: short_code,
      label: og_title === null ? `/${short_code}` : `/${short_code}, ${og_title}`,
      at: created_at,
    },
  }));
}

function codeIn(text: string): string {
  if (!/^https?:\/\//i.test(text)) return text;
  const path = URL.parse(text)?.pathname ?? '';
  return path.startsWith(SHORT_LINK_PATH)
    ? decodeShortCode(path.slice(SHORT_LINK_PATH.length).split('/')[0] ?? '')
    : '';
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
