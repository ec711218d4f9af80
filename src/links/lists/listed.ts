/** What the list of links is searched and filtered by: texts, tags and rules beside the rows of `links`. */
import { insertMany, type Transaction } from '../../db/index.ts';
import { keepRules } from '../choice/kept-rules.ts';
import type { LinkRow } from '../link.ts';
import { tagKey } from './tags.ts';
import { SEARCHED, wordsOf } from './words.ts';

/** Of links that are new. Those that the app made are found by their code alone: they are many, with texts of its users. */
export async function listNewLinks(tx: Transaction, links: readonly LinkRow[]): Promise<void> {
  await insertMany(tx, 'link_texts', links.filter(isListedByText).map(textRowOf));
  await insertMany(tx, 'link_tags', links.flatMap(tagRowsOf));
  await keepRules(tx, links);
}

interface ChangedLink {
  readonly link: LinkRow;
  readonly changes: { readonly [Column in keyof LinkRow]?: unknown };
}

/** After changes of these columns, or deletions. */
export async function listChangedLinks(tx: Transaction, changed: readonly ChangedLink[]): Promise<void> {
  const gone = changed.flatMap(({ link }) => (link.deleted_at === null ? [] : [link]));
  const those = (isChanged: (changes: ChangedLink['changes']) => boolean) =>
    changed.flatMap(({ link, changes }) => (link.deleted_at === null && isChanged(changes) ? [link] : []));
  const reworded = those((changes) => SEARCHED.some((column) => changes[column] !== undefined));
  const retagged = those(({ tags }) => tags !== undefined);
  await deleteOf(tx, 'link_texts', [...gone, ...reworded]);
  await insertMany(tx, 'link_texts', reworded.filter(isListedByText).map(textRowOf));
  await deleteOf(tx, 'link_tags', [...gone, ...retagged]);
  await insertMany(tx, 'link_tags', retagged.flatMap(tagRowsOf));
  await keepRules(
    tx,
    those(({ rules }) => rules !== undefined),
  );
}

async function deleteOf(
  tx: Transaction,
  table: 'link_texts' | 'link_tags',
  links: readonly LinkRow[],
): Promise<void> {
  const [first] = links;
  if (first === undefined) return;
  await tx
    .deleteFrom(table)
    .where('app_id', '=', first.app_id)
    .where(
      'link_id',
      'in',
      links.map(({ id }) => id),
    )
    .execute();
}

function isListedByText({ invited_by }: LinkRow): boolean {
  return invited_by === null;
}

function textRowOf(link: LinkRow) {
  return { app_id: link.app_id, link_id: link.id, words: wordsOf(link) };
}

function tagRowsOf({ app_id, id, tags }: LinkRow) {
  return (JSON.parse(tags) as string[]).map((tag) => ({ app_id, tag: tagKey(tag), link_id: id }));
}
