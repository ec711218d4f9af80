/** What the list of links is searched and filtered by: texts, tags and rules beside the rows of `links`. */
import { type Insertable, sql } from 'kysely';
import { insertMany, type LinksTable, type Transaction } from '../db/index.ts';
import type { LinkRow } from './link.ts';
import { tagKey } from './tags.ts';
import { keepRules } from './tags-and-rules.ts';
import { SEARCHED, wordsOf } from './words.ts';

/** Of links that are new. Those that the app made are found by their code alone: they are many, with texts of its users. */
export async function listNewLinks(tx: Transaction, links: readonly LinkRow[]): Promise<void> {
  await insertMany(
    tx,
    'link_texts',
    links
      .filter(({ invited_by }) => invited_by === null)
      .map((link) => ({ app_id: link.app_id, link_id: link.id, words: wordsOf(link) })),
  );
  await insertMany(tx, 'link_tags', links.flatMap(tagRowsOf));
  await keepRules(tx, links);
}

/** After a change of these columns of a link. */
export async function listChangedLink(
  tx: Transaction,
  link: LinkRow,
  changes: { readonly [Column in keyof Insertable<LinksTable>]?: unknown },
): Promise<void> {
  if (link.deleted_at !== null) return await unlist(tx, link);
  if (link.invited_by === null && SEARCHED.some((column) => changes[column] !== undefined))
    await tx
      .insertInto('link_texts')
      .values({ app_id: link.app_id, link_id: link.id, words: wordsOf(link) })
      .onConflict((conflict) =>
        conflict.columns(['app_id', 'link_id']).doUpdateSet({ words: sql`excluded.words` }),
      )
      .execute();
  if (changes.tags !== undefined) {
    await deleteOf(tx, 'link_tags', link);
    await insertMany(tx, 'link_tags', tagRowsOf(link));
  }
  if (changes.rules !== undefined) await keepRules(tx, [link]);
}

async function unlist(tx: Transaction, link: LinkRow): Promise<void> {
  await deleteOf(tx, 'link_texts', link);
  await deleteOf(tx, 'link_tags', link);
}

async function deleteOf(tx: Transaction, table: 'link_texts' | 'link_tags', link: LinkRow): Promise<void> {
  await tx.deleteFrom(table).where('app_id', '=', link.app_id).where('link_id', '=', link.id).execute();
}

function tagRowsOf({ app_id, id, tags }: LinkRow) {
  return (JSON.parse(tags) as string[]).map((tag) => ({ app_id, tag: tagKey(tag), link_id: id }));
}
