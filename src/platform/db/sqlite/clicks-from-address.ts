/**
 * Addresses come in no order. An index of all clicks by address has each new one in another page, and every commit writes
 * as many pages as it has clicks (what that costs is in `docs/benchmarks.md`). So clicks are
 * indexed by runs: 2^14 that arrived one after another, within which they are by address. New ones are in the pages of
 * one run alone, and whoever asks for an address looks into one run after the other, the newest first.
 */
import { setImmediate as othersTurn } from 'node:timers/promises';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type ClickAddress, leastIdSince, type StoredClick } from '../clicks-from-address.ts';
import type { Db } from '../store.ts';

/** The migration's indexes have the same. */
const RUN_BITS = 14;
const RUN_CLICKS = 2 ** RUN_BITS;
/** Reads are on the main thread, and a run may come from the disk: others get their turn after so many. */
const RUNS_AT_ONCE = 64;

/** See `Store.listRecentClicks`. What arrived late, with an older time, counts as new until it is sorted. */
export async function listRecentClicks(
  db: Db,
  address: ClickAddress,
  { since, limit }: { since: string; limit: number },
): Promise<StoredClick[]> {
  // Two runs have to begin too early: the first click of one may have come late, or in the time of a clock that was behind.
  const begins = sql<string>`max(${firstIdOf(sql`run`)}, ${firstIdOf(sql`run - 1`)})`;
  const runs = sql`
    select max(arrival) >> ${sql.lit(RUN_BITS)} from clicks
    union all
    select run - 1 from runs
    where run > (select min(arrival) >> ${sql.lit(RUN_BITS)} from clicks) and ${begins} >= ${leastIdSince(since)}`;
  return await selectFrom(db, address, { runs, end: Number.MAX_SAFE_INTEGER, limit })
    .where('clicked_at', '>=', since)
    .orderBy('clicked_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** See `Store.listClicksPage`. In the order of arrival, backwards. */
export async function listClicksPage(
  db: Db,
  address: ClickAddress,
  { after, limit }: { after: StoredClick | null; limit: number },
): Promise<StoredClick[]> {
  const { oldest, newest } = await readEnds(db);
  const clicks: StoredClick[] = [];
  let end = after?.arrival ?? newest + 1;
  while (end > oldest && clicks.length < limit) {
    const last = Math.floor((end - 1) / RUN_CLICKS);
    const first = Math.max(0, last - RUNS_AT_ONCE + 1);
    const runs = sql`values (${last}) union all select run - 1 from runs where run > ${first}`;
    const some = selectFrom(db, address, { runs, end, limit: limit - clicks.length });
    clicks.push(...(await some.orderBy(sql`arrival`, 'desc').execute()));
    end = first * RUN_CLICKS;
    await othersTurn();
  }
  return clicks;
}

interface InRuns {
  /** The rows of `runs`, the newest first. */
  readonly runs: RawBuilder<unknown>;
  /** Only those that arrived before. */
  readonly end: number;
  readonly limit: number;
}

/**
 * The loop over runs, and over each in the order of the index, gives the newest first, so that the limit ends it: a
 * crawler may have all of a run.
 */
function selectFrom(db: Db, { appId, ipHash, visitors }: ClickAddress, { runs, end, limit }: InRuns) {
  const arrivals = sql`
    with recursive runs (run) as not materialized (${runs})
    select clicks.arrival from runs cross join clicks
    where clicks.arrival >> ${sql.lit(RUN_BITS)} = run and clicks.ip_hash = ${ipHash} and ${visitors}
      and clicks.arrival < ${end}
    limit ${limit}`;
  return (
    db
      .selectFrom('clicks')
      .selectAll()
      // The plus keeps the app's key from being taken for the shorter way. The hash is the app's own, so the limit counts
      // no click of another app.
      .where(sql<SqlBool>`+app_id = ${appId} and arrival in (${arrivals})`)
  );
}

function firstIdOf(run: RawBuilder<unknown>): RawBuilder<string> {
  return sql`(select id from clicks where arrival >= (${run}) << ${sql.lit(RUN_BITS)} order by arrival limit 1)`;
}

/** A query for each: SQLite goes over the whole table for both in one. */
async function readEnds(db: Db): Promise<{ oldest: number; newest: number }> {
  const { oldest, newest } = await db
    .selectNoFrom([
      sql<number | null>`(select min(arrival) from clicks)`.as('oldest'),
      sql<number | null>`(select max(arrival) from clicks)`.as('newest'),
    ])
    .executeTakeFirstOrThrow();
  return { oldest: oldest ?? 0, newest: newest ?? -1 };
}
