import { sql } from 'kysely';
import { type Db, type Flag, insertMany, isAmong, listByKeys, type Transaction } from '../../db/index.ts';
import type { CostKey, CostRow } from './cost.ts';

/** The stored costs with these keys. */
export async function listCostsByKey(db: Db, appId: string, keys: readonly CostKey[]): Promise<CostRow[]> {
  return await listByKeys(db, 'costs', appId, keys);
}

/** Stores costs in place of those with their IDs. */
export async function replaceCosts(tx: Transaction, appId: string, rows: readonly CostRow[]): Promise<void> {
  const replaced = rows.map(({ id }) => id);
  await deleteCosts(tx, appId, replaced);
  await insertMany(tx, 'costs', rows);
}

export async function findCost(db: Db, appId: string, id: string): Promise<CostRow | undefined> {
  return await db
    .selectFrom('costs')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** @returns the deleted cost. */
export async function deleteCost(tx: Transaction, appId: string, id: string): Promise<CostRow | undefined> {
  return await tx
    .deleteFrom('costs')
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export interface ListedCosts {
  readonly sandbox: Flag;
  /** Both included. */
  readonly fromDay: string | undefined;
  readonly toDay: string | undefined;
  readonly campaignId: string | undefined;
  readonly network: string | undefined;
  readonly networkCampaignId: string | undefined;
}

function selectListed(
  db: Db,
  appId: string,
  { sandbox, fromDay, toDay, campaignId, network, networkCampaignId }: ListedCosts,
) {
  let query = db.selectFrom('costs').where('app_id', '=', appId).where('sandbox', '=', sandbox);
  if (fromDay !== undefined) query = query.where('day', '>=', fromDay);
  if (toDay !== undefined) query = query.where('day', '<=', toDay);
  // Costs of networks have campaigns of their own.
  if (campaignId === '' || networkCampaignId !== undefined) query = query.where('network', '!=', '');
  if (network !== undefined) query = query.where('network', '=', network);
  if (networkCampaignId !== undefined) query = query.where('campaign_id', '=', networkCampaignId);
  if (campaignId) query = query.where('network', '=', '').where('campaign_id', '=', campaignId);
  return query;
}

/** How many an app has, or a filter leaves. */
export async function countCosts(db: Db, appId: string, listed?: ListedCosts): Promise<number> {
  const query =
    listed === undefined
      ? db.selectFrom('costs').where('app_id', '=', appId)
      : selectListed(db, appId, listed);
  const { costs } = await query
    .select((eb) => eb.fn.countAll<number>().as('costs'))
    .executeTakeFirstOrThrow();
  return Number(costs);
}

export async function listCostIds(db: Db, appId: string, listed: ListedCosts): Promise<string[]> {
  return (await selectListed(db, appId, listed).select('id').execute()).map(({ id }) => id);
}

export async function deleteCosts(tx: Transaction, appId: string, ids: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('costs')
    .where('app_id', '=', appId)
    .where(isAmong(tx, 'id', ids))
    .execute();
}

/** Newest day first; those of a day by ID, latest first. */
export async function listCosts(
  db: Db,
  appId: string,
  page: ListedCosts & {
    readonly before: Pick<CostRow, 'day' | 'id'> | null;
    readonly limit: number;
  },
): Promise<CostRow[]> {
  const { before } = page;
  let query = selectListed(db, appId, page).selectAll();
  if (before !== null)
    query = query
      .where('day', '<=', before.day)
      .where(({ or, eb }) => or([eb('day', '<', before.day), eb('id', '<', before.id)]));
  return await query.orderBy('day', 'desc').orderBy('id', 'desc').limit(page.limit).execute();
}

export interface CostFilter {
  readonly appId: string;
  readonly sandbox: Flag;
  /** Of campaigns of links, or of networks. All if null. */
  readonly of: 'links' | 'networks' | null;
  /** All if null. */
  readonly network: string | null;
  readonly campaignId: string | null;
  /** Both included. */
  readonly fromDay: string;
  readonly toDay: string;
}

/** The amounts, separated by commas, by currency and some other columns. */
export async function sumCostsBy<C extends 'day' | 'network' | 'campaign_id'>(
  db: Db,
  { appId, sandbox, of, network, campaignId, fromDay, toDay }: CostFilter,
  columns: readonly C[],
) {
  const by: readonly (C | 'currency')[] = [...columns, 'currency'];
  return await db
    .selectFrom('costs')
    .select(by)
    // Exact on both engines, which add texts up as floats.
    .select(sql<string>`string_agg(amount, ',')`.as('amounts'))
    .where('app_id', '=', appId)
    .where('sandbox', '=', sandbox)
    .where('day', '>=', fromDay)
    .where('day', '<=', toDay)
    .$if(of !== null, (query) => query.where('network', of === 'links' ? '=' : '<>', ''))
    .$if(network !== null, (query) => query.where('network', '=', network ?? ''))
    .$if(campaignId !== null, (query) => query.where('campaign_id', '=', campaignId ?? ''))
    .groupBy(by)
    .execute();
}
