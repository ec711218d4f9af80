import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../platform/ctx.ts';
import type { Db } from '../platform/db/index.ts';
import type { ClickRow } from './click.ts';
import { CLAIMABLE_VISITORS } from './visitor.ts';

/** What claims a click: at most one of each. */
export type Claimant = 'install' | 'open';

/** Whoever made it, and also when it is claimed. */
export async function findClick(db: Db, appId: string, clickId: string): Promise<ClickRow | undefined> {
  return await db
    .selectFrom('clicks')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', clickId)
    .executeTakeFirst();
}

/** Written into the statement, not handed to it: only so do the databases see that the index covers all of them. */
const CLAIMABLE = sql.join(CLAIMABLE_VISITORS.map((kind) => sql.lit(kind)));

/** Clicks that came from an address since a time, newest first, claimed ones too: they tell who else is there. */
export async function listClicksByAddress(
  { db, store }: Ctx,
  appId: string,
  { ipHash, ...where }: { ipHash: string; since: string; limit: number },
): Promise<ClickRow[]> {
  const visitors = sql<SqlBool>`visitor in (${CLAIMABLE})`;
  return await store.listRecentClicks(db, { appId, ipHash, visitors }, where);
}

/** Which of an address's clicks are asked for. */
export interface AddressPage {
  readonly ipHash: string;
  /** Those that may be claimed, or the others: each has an index of its own. */
  readonly claimable: boolean;
  /** The last one of the page before. */
  readonly after: ClickRow | null;
  readonly limit: number;
}

/** A page of the clicks that ever came from an address, newest first. */
export async function listClicksOfAddress(
  { db, store }: Ctx,
  appId: string,
  { ipHash, claimable, ...page }: AddressPage,
): Promise<ClickRow[]> {
  const visitors = sql<SqlBool>`visitor ${sql.raw(claimable ? 'in' : 'not in')} (${CLAIMABLE})`;
  return await store.listClicksPage(db, { appId, ipHash, visitors }, page);
}

/** The newest hits of an app with ids in a range, of every kind of visitor, newest first. */
export async function listHits(
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

/** Those of the ids that there are, in no order. */
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
 * Adds what a page found out about the device of a click that nobody has claimed, described or erased.
 * @returns false where there is no such click.
 */
export async function describeClick(
  db: Db,
  appId: string,
  clickId: string,
  description: { device_model: string | null; fingerprint: string; signals_at: string },
): Promise<boolean> {
  const described = await db
    .updateTable('clicks')
    .set(description)
    .where('app_id', '=', appId)
    .where('id', '=', clickId)
    .where('signals_at', 'is', null)
    .where('claimed_by_install', 'is', null)
    .where('claimed_by_open', 'is', null)
    // A browser always names itself; a click that was erased names nobody.
    .where('user_agent', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  return described !== undefined;
}

/**
 * Claims a click for an install or an open. It changes no row when another was faster, also in the same instant in
 * another process.
 * @param claim `isSole`: only where neither an install nor an open has claimed it.
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

/** Takes claims back: the clicks can be claimed again, within their windows. @param ids of the installs or opens. */
export async function releaseClicks(
  { db, store }: Ctx,
  appId: string,
  { by, ids, clickIds }: { by: Claimant; ids: readonly string[]; clickIds: readonly string[] },
): Promise<void> {
  if (clickIds.length === 0) return;
  const column = by === 'install' ? 'claimed_by_install' : 'claimed_by_open';
  await db
    .updateTable('clicks')
    .set({ [column]: null })
    .where('app_id', '=', appId)
    .where(store.isAmong('id', clickIds))
    .where(store.isAmong(column, ids))
    .execute();
}
