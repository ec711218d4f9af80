/**
 * Addresses come in no order. An index of all clicks by address has each new one in another page, and every commit writes
 * as many pages as it has clicks: two thirds of what a click cost, and most of what went to the disk. So clicks are
 * indexed by runs: 2^14 that arrived one after another, within which they are by address. New ones are in the pages of
 * one run alone, and whoever asks for an address looks into one run after the other, the newest first.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type ClicksFromAddress, leastIdSince, type StoredClick } from '../clicks-from-address.ts';
import type { Db } from '../store.ts';

/** See `Store.listClicksFromAddress`. What arrived later is newer here: times within a run are looked at one by one. */
export async function listClicksFromAddress(db: Db, which: ClicksFromAddress): Promise<StoredClick[]> {
  return await db
    .selectFrom('clicks')
    .selectAll()
    // The plus keeps the app's key from being taken for the shorter way.
    .where(sql<SqlBool>`+app_id = ${which.appId} and arrival in (${arrivals(which)})`)
    .orderBy(sql`arrival`, 'desc')
    .execute();
}

/** The nested loop gives them in its order, so that the limit ends it: a crawler may have all of a run. */
function arrivals({ appId, ipHash, visitors, since, after, limit }: ClicksFromAddress): RawBuilder<unknown> {
  const end =
    after === null
      ? sql`select max(arrival) + 1 from clicks`
      : sql`select arrival from clicks where app_id = ${appId} and id = ${after.id}`;
  return sql`
    with recursive runs (run) as (
      select (${end}) >> 14
      union all
      select run - 1 from runs
      where run > (select min(arrival) >> 14 from clicks)
        and (select id from clicks where arrival >= run << 14 order by arrival limit 1) >= ${leastIdSince(since)}
      order by 1 desc
    )
    select clicks.arrival from runs cross join clicks
    where clicks.arrival >> 14 = run and clicks.ip_hash = ${ipHash} and ${visitors}
      and clicks.arrival < (${end}) and clicks.clicked_at >= ${since ?? ''}
    limit ${limit}`;
}
