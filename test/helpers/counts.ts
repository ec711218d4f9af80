/** The daily counts, and the same numbers counted from the records. */
import assert from 'node:assert/strict';
import { queryStored, type StoredIn, type StoredRow } from './stored.ts';

const NO_LINK = '00000000-0000-0000-0000-000000000000';
const KEY = 'app_id, link_id, day, kind, campaign_id, platform, method, visitor, sandbox';

/** Every stored count, summed over its stripes. */
export async function readCounts(place: StoredIn): Promise<StoredRow[]> {
  return await listed(
    place,
    `select ${KEY}, sum(n) as n from daily_counts group by ${KEY} having sum(n) <> 0`,
  );
}

/** The expected counts, as long as no record was dropped. */
export async function countRecords(place: StoredIn): Promise<StoredRow[]> {
  const day = (time: string) =>
    place.databaseUrl === null
      ? `substr(${time}, 1, 10)`
      : `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD')`;
  const attributed = (by: string) =>
    `coalesce(${by}.campaign_id, '') as campaign_id, ${by}.platform, ${by}.attribution_method as method, '' as visitor`;
  return await listed(
    place,
    `select ${KEY}, count(*) as n from (
       select app_id, link_id, ${day('clicked_at')} as day, 'click' as kind, coalesce(campaign_id, '') as campaign_id,
         coalesce(platform, '') as platform, '' as method, visitor, sandbox from clicks
       union all
       select app_id, coalesce(link_id, '${NO_LINK}'), ${day('installed_at')}, 'install', ${attributed('installs')}, sandbox
         from installs
       union all
       select app_id, coalesce(link_id, '${NO_LINK}'), ${day('opened_at')}, 'open', ${attributed('opens')}, sandbox
         from opens
       union all
       select events.app_id, coalesce(link_id, '${NO_LINK}'), ${day('created_at')}, 'event', ${attributed('installs')},
         events.sandbox
         from events join installs on installs.app_id = events.app_id and installs.id = events.install_id
     ) as records group by ${KEY}`,
  );
}

/** Asserts that the counts equal the records. */
export async function assertCounted(place: StoredIn): Promise<void> {
  const records = await countRecords(place);
  assert.ok(records.length > 0, 'there are no records');
  assert.deepEqual(await readCounts(place), records);
}

/** Sorted, with the numbers that PostgreSQL returns as text converted. */
async function listed(place: StoredIn, sql: string): Promise<StoredRow[]> {
  const rows = await queryStored(place, sql);
  return rows
    .map((row) => ({ ...row, sandbox: Number(row.sandbox), n: Number(row.n) }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
