import { type Expression, type SqlBool, sql } from 'kysely';
import {
  type ConversionValuesTable,
  type Db,
  isAmong,
  listInRanges,
  toFlag,
  type Write,
} from '../db/index.ts';
import { NO_APP, type PostbackRow } from './postback.ts';
import type { ListPostbacksInput } from './schemas.ts';

/** For `store.commit`. Inserts no row for a copy of a verified postback. */
export function insertPostback(db: Db, postback: PostbackRow): Write {
  return db
    .insertInto('postbacks')
    .values(postback)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id');
}

/** Counts a copy of a verified postback on the stored one. @returns whether one is stored. */
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

/** Not verified, or of no app. Literals, since planners match the partial index against literals only. */
export const UNPROVEN = sql<SqlBool>`(verdict <> 'verified' or app_id = '${sql.raw(NO_APP)}')`;

/** Across apps: the id of the unproven postback that has this number of newer ones. */
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

/** Across apps: the oldest unproven postbacks up to `lastId`. */
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
  db: Db,
  appId: string,
  ids: readonly string[] | Expression<unknown>,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('postbacks')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** `from` and `to` as ISO 8601 in UTC; `to` is exclusive. */
export type PostbackFilter = Partial<Omit<ListPostbacksInput, 'before' | 'limit'>> & {
  readonly sandboxOnly: boolean;
};

/** Newest first; `before` is the last id of the previous page. */
export async function listPostbacks(
  db: Db,
  appId: string,
  { filter, before, limit }: { filter: PostbackFilter; before: string | null; limit: number },
): Promise<PostbackRow[]> {
  const { verdict, from, to } = filter;
  const ofIndex = (beforeId: string | null) => {
    const postbacks = db.selectFrom('postbacks').where('app_id', '=', appId).orderBy('id', 'desc');
    const older = beforeId === null ? postbacks : postbacks.where('id', '<', beforeId);
    return verdict === undefined ? older : older.where('verdict', '=', verdict);
  };
  return await listInRanges(
    { before, limit },
    (beforeId, rows) => ofIndex(beforeId).select('id').offset(rows).limit(1).executeTakeFirst(),
    ({ fromId, beforeId, limit }) =>
      ofIndex(beforeId)
        .selectAll()
        .where(({ and }) => and(columnsOf(filter)))
        .$if(fromId !== null, (query) => query.where('id', '>=', fromId ?? ''))
        .$if(from !== undefined, (query) => query.where('received_at', '>=', from ?? ''))
        .$if(to !== undefined, (query) => query.where('received_at', '<', to ?? ''))
        .limit(limit)
        .execute(),
  );
}

/** The columns that are compared for equality. */
function columnsOf(filter: PostbackFilter): Partial<PostbackRow> {
  const columns = {
    kind: filter.kind,
    version: filter.version,
    ad_network_id: filter.adNetworkId,
    source_identifier: filter.sourceIdentifier,
    campaign_id: filter.campaignId,
    sequence_index: filter.sequenceIndex,
    did_win: filter.didWin === undefined ? undefined : toFlag(filter.didWin),
    sandbox: filter.sandboxOnly ? toFlag(true) : undefined,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
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

/** A group of verified postbacks of one day. */
export type SummaryRow = Pick<PostbackRow, (typeof SUMMED_BY)[number]> & {
  readonly postbacks: number;
  readonly installs: number;
};

/** Newest days first. Counts verified postbacks received from `fromDay` to `toDay`, both inclusive. */
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
      // Only the first postback of an install, and only winners.
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

export async function findConversionValues(
  db: Db,
  appId: string,
): Promise<ConversionValuesTable | undefined> {
  return await db.selectFrom('conversion_values').selectAll().where('app_id', '=', appId).executeTakeFirst();
}

export async function upsertConversionValues(db: Db, row: ConversionValuesTable): Promise<void> {
  const { windows, updated_at } = row;
  await db
    .insertInto('conversion_values')
    .values(row)
    .onConflict((conflict) => conflict.column('app_id').doUpdateSet({ windows, updated_at }))
    .execute();
}
