/**
 * The list of links is searched in a narrow table, in the texts of all alphabets without regard to capitals. Stop processes
 * of the previous version before: links that they make or change are not found by their new texts.
 */
import { type Kysely, sql } from 'kysely';
import { type ColumnTypes, type Database, insertMany } from '../src/db/index.ts';
import { foldText } from '../src/lib/text.ts';

const ROWS_AT_ONCE = 1_000;
const COLUMNS = ['app_id', 'id', 'short_code', 'campaign_id', 'deep_link_path', 'og_title'] as const;

export async function linkTexts(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    // Of links that are not deleted.
    `create table link_texts (
      app_id ${t.uuid} not null,
      link_id ${t.uuid} not null,
      words ${t.text} not null,
      primary key (app_id, link_id)
    )${t.keyedTableSuffix}`,
    'create index link_tags_by_link on link_tags (app_id, link_id)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
  await fill(db as Kysely<Database>);
}

/** Links of before have neither path nor title. */
async function fill(db: Kysely<Database>): Promise<void> {
  for (
    let last: { app_id: string; id: string } | undefined, isFirst = true;
    isFirst || last !== undefined;
  ) {
    const links = await db
      .selectFrom('links')
      .select(COLUMNS)
      .where('deleted_at', 'is', null)
      .$if(last !== undefined, (query) =>
        query.where(sql<boolean>`(app_id, id) > (${last?.app_id}, ${last?.id})`),
      )
      .orderBy('app_id')
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
      .execute();
    await insertMany(
      db,
      'link_texts',
      links.map(({ app_id, id: link_id, short_code, campaign_id, deep_link_path, og_title }) => ({
        ...{ app_id, link_id },
        // A line each: code, path, campaign, path in the app, title, title of the card.
        words: foldText([short_code, '', campaign_id ?? '', deep_link_path, '', og_title ?? ''].join('\n')),
      })),
    );
    last = links.at(-1);
    isFirst = false;
  }
}
