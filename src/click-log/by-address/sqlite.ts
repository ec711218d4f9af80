/**
 * Clicks by address. In an index by address alone every new click would change another page, so that a commit writes as
 * many pages as it has clicks (measured in `docs/reference/benchmarks.md`). The index is by run and address instead, where a run is
 * 2^14 consecutive clicks: new clicks change the pages of one run only, and queries look into one run after the other,
 * newest first.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/index.ts';
import { type ClickAddress, leastIdSince, type StoredClick } from './by-address.ts';

/** As in the migration's indexes. */
const RUN_BITS = 14;
const RUN_CLICKS = 2 ** RUN_BITS;
/** Bounds a statement, during which other reads wait: runs may have to be read from disk. */
const RUNS_PER_QUERY = 64;

/** See `ClickQueries.listRecentClicks`. */
export async function listRecentClicks(
  db: Db,
  address: ClickAddress,
  { since, limit }: { since: string; limit: number },
): Promise<StoredClick[]> {
  // Stops after two runs that start too early: the first click of one may have arrived late or with a wrong time.
  const starts = sql<string>`max(${firstIdOf(sql`run`)}, ${firstIdOf(sql`run - 1`)})`;
  const runs = sql`
    select max(arrival) >> ${sql.lit(RUN_BITS)} from clicks
    union all
    select run - 1 from runs
    where run > (select min(arrival) >> ${sql.lit(RUN_BITS)} from clicks) and ${starts} >= ${leastIdSince(since)}`;
  return await selectFrom(db, address, { runs, end: Number.MAX_SAFE_INTEGER, limit })
    .where('clicked_at', '>=', since)
    .orderBy('clicked_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** See `ClickQueries.listClicksPage`. Ordered by arrival. */
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
    const first = Math.max(0, last - RUNS_PER_QUERY + 1);
    const runs = sql`values (${last}) union all select run - 1 from runs where run > ${first}`;
    const query = selectFrom(db, address, { runs, end, limit: limit - clicks.length });
    clicks.push(...(await query.orderBy(sql`arrival`, 'desc').execute()));
    end = first * RUN_CLICKS;
  }
  return clicks;
}

interface InRuns {
  /** Query for the numbers of the runs, newest first. */
  readonly runs: RawBuilder<unknown>;
  /** Exclusive upper bound of `arrival`. */
  readonly end: number;
  readonly limit: number;
}

/** The nested loop over runs and index yields the newest clicks first, so that the limit ends it early. */
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
      // The unary plus keeps SQLite from using the index by app. Hashes are keyed by app, so that the limit counts no
      // clicks of other apps.
      .where(sql<SqlBool>`+app_id = ${appId} and arrival in (${arrivals})`)
  );
}

function firstIdOf(run: RawBuilder<unknown>): RawBuilder<string> {
  return sql`(select id from clicks where arrival >= (${run}) << ${sql.lit(RUN_BITS)} order by arrival limit 1)`;
}

/** Two subqueries: SQLite scans the whole table for `min` and `max` in one. */
async function readEnds(db: Db): Promise<{ oldest: number; newest: number }> {
  const { oldest, newest } = await db
    .selectNoFrom([
      sql<number | null>`(select min(arrival) from clicks)`.as('oldest'),
      sql<number | null>`(select max(arrival) from clicks)`.as('newest'),
    ])
    .executeTakeFirstOrThrow();
  return { oldest: oldest ?? 0, newest: newest ?? -1 };
}
