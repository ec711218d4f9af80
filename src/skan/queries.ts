import { type Compilable, type SqlBool, sql } from 'kysely';
import type { Ctx } from '../platform/ctx.ts';
import { type ConversionValuesTable, type Db, listInStretches, toFlag } from '../platform/db/index.ts';
import { NO_APP, type PostbackRow } from './postback.ts';

/** For `store.commit`: changes no row where a verified postback came before. */
export function insertPostback(db: Db, postback: PostbackRow): Compilable {
  return db
    .insertInto('postbacks')
    .values(postback)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id');
}

/** Counts a copy of a verified postback on the one that is stored. @returns whether there is one. */
export async function countCopy(db: Db, copy: PostbackRow): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('postbacks')
    .set({ times_received: sql`times_received + 1` })
    .where('app_id', '=', copy.app_id)
    .where('kind', '=', copy.kind)
    .where('ad_network_id', '=', copy.ad_network_id)
    .where('transaction_id', '=', copy.transaction_id)
    .where('sequence_index', '=', copy.sequence_index)
    .where('sandbox', '=', copy.sandbox)
    .where('verdict', '=', sql.lit('verified'))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Not verified, or of no app. Written out: only then does a planner see that the partial index covers a statement. */
export const UNPROVEN = sql<SqlBool>`(verdict <> 'verified' or app_id = '${sql.raw(NO_APP)}')`;

/** Server's own: the id of the unproven postback than which this many are newer; undefined if there is none. */
export async function findUnprovenAt(db: Db, newer: number): Promise<string | undefined> {
  const postback = await db
    .selectFrom('postbacks')
    .select('id')
    .where(UNPROVEN)
    .orderBy('id', 'desc')
    .offset(newer)
    .limit(1)
    .executeTakeFirst();
  return postback?.id;
}

/** Server's own: the oldest unproven postbacks of all apps, up to `lastId`. */
export async function listOldestUnproven(
  db: Db,
  { lastId, limit }: { lastId: string; limit: number },
): Promise<Pick<PostbackRow, 'app_id' | 'id'>[]> {
  return await db
    .selectFrom('postbacks')
    .select(['app_id', 'id'])
    .where(UNPROVEN)
    .where('id', '<=', lastId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function deletePostbacks(
  { db, store }: Ctx,
  appId: string,
  ids: readonly string[],
): Promise<void> {
  await db.deleteFrom('postbacks').where('app_id', '=', appId).where(store.isAmong('id', ids)).execute();
}

/** Null means: whatever it is. */
export interface PostbackFilter {
  readonly kind: string | null;
  readonly version: string | null;
  readonly verdict: string | null;
  readonly adNetworkId: string | null;
  readonly sourceIdentifier: string | null;
  readonly campaignId: number | null;
  readonly sequenceIndex: number | null;
  readonly didWin: boolean | null;
  /** Times, ISO 8601: received then or later, and earlier than the second. */
  readonly from: string | null;
  readonly to: string | null;
  readonly sandboxOnly: boolean;
}

/** Newest first; of those before one where it is given. */
export async function listPostbacks(
  db: Db,
  appId: string,
  { filter, before, limit }: { filter: PostbackFilter; before: string | null; limit: number },
): Promise<PostbackRow[]> {
  const { verdict, from, to } = filter;
  const ofIndex = (beforeId: string | null) => {
    const postbacks = db.selectFrom('postbacks').where('app_id', '=', appId).orderBy('id', 'desc');
    const older = beforeId === null ? postbacks : postbacks.where('id', '<', beforeId);
    return verdict === null ? older : older.where('verdict', '=', verdict);
  };
  return await listInStretches(
    { before, limit },
    (beforeId, rows) => ofIndex(beforeId).select('id').offset(rows).limit(1).executeTakeFirst(),
    ({ fromId, beforeId, most }) =>
      ofIndex(beforeId)
        .selectAll()
        .where(({ and }) => and(columnsOf(filter)))
        .$if(fromId !== null, (query) => query.where('id', '>=', fromId ?? ''))
        .$if(from !== null, (query) => query.where('received_at', '>=', from ?? ''))
        .$if(to !== null, (query) => query.where('received_at', '<', to ?? ''))
        .limit(most)
        .execute(),
  );
}

/** The columns that must be equal, and to what. */
function columnsOf(filter: PostbackFilter): Partial<PostbackRow> {
  const columns = {
    kind: filter.kind,
    version: filter.version,
    ad_network_id: filter.adNetworkId,
    source_identifier: filter.sourceIdentifier,
    campaign_id: filter.campaignId,
    sequence_index: filter.sequenceIndex,
    did_win: filter.didWin === null ? null : toFlag(filter.didWin),
    sandbox: filter.sandboxOnly ? toFlag(true) : null,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== null));
}

/** What verified postbacks of one day have in common, and how many they are. */
export interface SummaryRow
  extends Pick<
    PostbackRow,
    | 'day'
    | 'ad_network_id'
    | 'source_identifier'
    | 'campaign_id'
    | 'sequence_index'
    | 'conversion_value'
    | 'coarse_conversion_value'
  > {
  readonly postbacks: number;
  readonly installs: number;
}

const SUMMED_BY = [
  'day',
  'ad_network_id',
  'source_identifier',
  'campaign_id',
  'sequence_index',
  'conversion_value',
  'coarse_conversion_value',
] as const;

/** Newest days first; of verified postbacks received on the days from one to another, both included. */
export async function summarizePostbacks(
  db: Db,
  appId: string,
  page: { fromDay: string; toDay: string; sandbox: boolean; limit: number; offset: number },
): Promise<SummaryRow[]> {
  let query = db
    .selectFrom('postbacks')
    .select(SUMMED_BY)
    .select(({ fn, and, or, eb }) => [
      fn.countAll<number>().as('postbacks'),
      // Winners only, and of an install's postbacks the first.
      fn
        .countAll<number>()
        .filterWhere(
          and([
            or([eb('did_win', 'is', null), eb('did_win', '=', 1)]),
            eb('sequence_index', '=', 0),
            or([eb('conversion_type', 'is', null), eb('conversion_type', '<>', 're-engagement')]),
          ]),
        )
        .as('installs'),
    ])
    .where('app_id', '=', appId)
    .where('verdict', '=', sql.lit('verified'))
    .where('day', '>=', page.fromDay)
    .where('day', '<=', page.toDay)
    .where('sandbox', '=', toFlag(page.sandbox))
    .groupBy(SUMMED_BY)
    .orderBy('day', 'desc');
  for (const column of SUMMED_BY.slice(1)) query = query.orderBy(column, (by) => by.asc().nullsLast());
  return await query.limit(page.limit).offset(page.offset).execute();
}

/** Undefined where the app never set any. */
export async function findConversionValues(
  db: Db,
  appId: string,
): Promise<ConversionValuesTable | undefined> {
  return await db.selectFrom('conversion_values').selectAll().where('app_id', '=', appId).executeTakeFirst();
}

/** Replaces what the app had set before. */
export async function upsertConversionValues(db: Db, row: ConversionValuesTable): Promise<void> {
  const { windows, updated_at } = row;
  await db
    .insertInto('conversion_values')
    .values(row)
    .onConflict((conflict) => conflict.column('app_id').doUpdateSet({ windows, updated_at }))
    .execute();
}
