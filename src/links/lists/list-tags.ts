/** The tags that an app's links have, without deleted ones. */
import { type ExpressionBuilder, sql } from 'kysely';
import type { Actor } from '../../auth/index.ts';
import { type Database, type Db, isAmong } from '../../db/index.ts';
import { tagKey } from './tags.ts';

/** After all others that begin with the same text, byte by byte. */
const LAST = '\u{10FFFF}';
/** Of the menus that offer them. */
export const MAX_TAGS = 1_000;

export interface TagCount {
  readonly tag: string;
  readonly links: number;
}

/** The tags of an app by name, at most `MAX_TAGS`, each in the spelling of the newest link that has it. */
export async function listTags(db: Db, { appId, mode }: Actor): Promise<TagCount[]> {
  const counted = await db
    .selectFrom('link_tags')
    .select(({ fn }) => [
      'tag',
      fn.countAll<number>().as('links'),
      // PostgreSQL has no largest UUID.
      sql<string>`max(cast(link_id as text))`.as('newest'),
    ])
    .where('app_id', '=', appId)
    .$if(mode === 'test', (query) => query.where('link_id', 'in', sandboxLinks(appId)))
    .groupBy('tag')
    .orderBy('tag')
    .limit(MAX_TAGS)
    .execute();
  const tags = await spelled(db, appId, counted);
  return counted.map(({ links }, place) => ({ tag: tags[place] ?? '', links: Number(links) }));
}

const sandboxLinks =
  (appId: string) =>
  ({ selectFrom }: ExpressionBuilder<Database, 'link_tags'>) =>
    selectFrom('links').select('id').where('app_id', '=', appId).where('sandbox', '=', sql.lit(1));

/** The tags that begin with a text, in the spelling of the newest link that has them. */
export async function findTags(
  db: Db,
  { appId, mode }: Actor,
  { text, limit }: { text: string; limit: number },
): Promise<string[]> {
  const start = tagKey(text);
  const found: { tag: string; newest: string }[] = [];
  if (start === '') return [];
  // Each step skips the other links of a tag.
  for (let after = ''; found.length < limit; ) {
    const next = await db
      .selectFrom('link_tags')
      .select(['tag', 'link_id as newest'])
      .where('app_id', '=', appId)
      .where('tag', '>=', start)
      .where('tag', '>', after)
      .where('tag', '<', start + LAST)
      .$if(mode === 'test', (query) => query.where('link_id', 'in', sandboxLinks(appId)))
      .orderBy('tag')
      .orderBy('link_id', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) break;
    found.push(next);
    after = next.tag;
  }
  return await spelled(db, appId, found);
}

/** @param found with the id of the newest link that has the tag. */
async function spelled(
  db: Db,
  appId: string,
  found: readonly { readonly tag: string; readonly newest: string }[],
): Promise<string[]> {
  if (found.length === 0) return [];
  const links = await db
    .selectFrom('links')
    .select(['id', 'tags'])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', [...new Set(found.map(({ newest }) => newest))]))
    .execute();
  const tagsOfLinks = new Map(links.map(({ id, tags }) => [id, JSON.parse(tags) as string[]]));
  return found.map(({ tag, newest }) => tagsOfLinks.get(newest)?.find((each) => tagKey(each) === tag) ?? tag);
}
