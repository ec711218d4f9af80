import { type SqlBool, sql } from 'kysely';
import { type Db, isAmong, isShared } from '../db/index.ts';
import { CLAIMABLE_VISITORS } from '../redirect/visitors/index.ts';
import type { ClickQueries } from './by-address/by-address.ts';
import * as postgres from './by-address/postgres.ts';
import * as sqlite from './by-address/sqlite.ts';
import type { ClickRow } from './click.ts';

/** A click is claimed at most once by each. */
export type Claimant = 'install' | 'open';

/** Finds clicks of every kind of visitor, claimed or not. */
export async function findClick(db: Db, appId: string, clickId: string): Promise<ClickRow | undefined> {
  return await db
    .selectFrom('clicks')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', clickId)
    .executeTakeFirst();
}

/** Literals, not parameters: otherwise the planners do not use the partial index. */
const CLAIMABLE = sql.join(CLAIMABLE_VISITORS.map((kind) => sql.lit(kind)));

function queriesOf(db: Db): ClickQueries {
  return isShared(db) ? postgres : sqlite;
}

/**
 * Claimable clicks of an address since a time, newest first. Claimed ones are included, as evidence of other phones.
 * @param ipHashes of the address by each root secret in use since then.
 */
export async function listClicksByAddress(
  db: Db,
  appId: string,
  { ipHashes, ...where }: { ipHashes: readonly string[]; since: string; limit: number },
): Promise<ClickRow[]> {
  const visitors = sql<SqlBool>`visitor in (${CLAIMABLE})`;
  const lists = await Promise.all(
    ipHashes.map((ipHash) => queriesOf(db).listRecentClicks(db, { appId, ipHash, visitors }, where)),
  );
  if (lists.length === 1) return lists[0] ?? [];
  const newestFirst = (a: ClickRow, b: ClickRow) => (a.clicked_at < b.clicked_at ? 1 : -1);
  return lists.flat().toSorted(newestFirst).slice(0, where.limit);
}

interface AddressPage {
  readonly ipHash: string;
  /** Clicks of claimable visitors or the others: each has its own index. */
  readonly claimable: boolean;
  /** The last click of the previous page. */
  readonly after: ClickRow | null;
  readonly limit: number;
}

/** A page of all clicks of an address, newest first. */
export async function listClicksOfAddress(
  db: Db,
  appId: string,
  { ipHash, claimable, ...page }: AddressPage,
): Promise<ClickRow[]> {
  const visitors = sql<SqlBool>`visitor ${sql.raw(claimable ? 'in' : 'not in')} (${CLAIMABLE})`;
  return await queriesOf(db).listClicksPage(db, { appId, ipHash, visitors }, page);
}

/** The newest clicks of an app with ids in a range, of every kind of visitor, newest first. */
export async function listClicksInRange(
  db: Db,
  appId: string,
  { fromId, beforeId, limit }: { fromId: string; beforeId: string; limit: number },
): Promise<Pick<ClickRow, 'id' | 'link_id' | 'ip_hash' | 'visitor' | 'sandbox'>[]> {
  return await db
    .selectFrom('clicks')
    .select(['id', 'link_id', 'ip_hash', 'visitor', 'sandbox'])
    .where('app_id', '=', appId)
    .where('id', '>=', fromId)
    .where('id', '<', beforeId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Existing clicks among the ids, unordered. */
export async function listClicks(db: Db, appId: string, clickIds: readonly string[]): Promise<ClickRow[]> {
  if (clickIds.length === 0) return [];
  return await db
    .selectFrom('clicks')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', 'in', clickIds)
    .execute();
}

/**
 * Adds device signals, and the rule that they lead to, to a click that is not claimed, described or erased.
 * @returns false if there is no such click.
 */
export async function describeClick(
  db: Db,
  appId: string,
  clickId: string,
  description: Pick<ClickRow, 'device_model' | 'fingerprint' | 'signals_at'> &
    Partial<Pick<ClickRow, 'rule_id' | 'campaign_id'>>,
): Promise<boolean> {
  const described = await db
    .updateTable('clicks')
    .set(description)
    .where('app_id', '=', appId)
    .where('id', '=', clickId)
    .where('signals_at', 'is', null)
    .where('claimed_by_install', 'is', null)
    .where('claimed_by_open', 'is', null)
    // Browsers always send a user agent; an erasure removes it.
    .where('user_agent', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  return described !== undefined;
}

/**
 * Claims a click for an install or an open. Changes no row if the click is already claimed, also by a concurrent process.
 * @param claim `isSole`: neither an install nor an open may have claimed it.
 */
export function claimClick(
  db: Db,
  appId: string,
  clickId: string,
  { by, id, isSole }: { by: Claimant; id: string; isSole: boolean },
) {
  const column = by === 'install' ? 'claimed_by_install' : 'claimed_by_open';
  return db
    .updateTable('clicks')
    .set({ [column]: id })
    .where('app_id', '=', appId)
    .where('id', '=', clickId)
    .where(column, 'is', null)
    .$if(isSole, (query) =>
      query.where('claimed_by_install', 'is', null).where('claimed_by_open', 'is', null),
    )
    .returning('id');
}

/** Makes claimed clicks claimable again. @param ids of the installs or opens. */
export async function releaseClicks(
  db: Db,
  appId: string,
  { by, ids, clickIds }: { by: Claimant; ids: readonly string[]; clickIds: readonly string[] },
): Promise<void> {
  if (clickIds.length === 0) return;
  const column = by === 'install' ? 'claimed_by_install' : 'claimed_by_open';
  await db
    .updateTable('clicks')
    .set({ [column]: null })
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', clickIds))
    .where(isAmong(db, column, ids))
    .execute();
}
