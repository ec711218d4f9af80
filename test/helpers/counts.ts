/** The counts of links, and of records without a link, and the same counted from the records. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { addStored, countOf, noCounts } from '../../src/stats/add-counts.ts';
import { parseCells } from '../../src/stats/cells.ts';
import { decodePending } from '../../src/stats/pending.ts';
import { queryStored, type StoredIn, type StoredRow } from './stored.ts';

const KEY = 'app_id, link_id, day, kind, campaign_id, platform, method, visitor, sandbox';
const NO_LINK = '00000000-0000-0000-0000-000000000000';

/** Every count, of cells and pending. Reads again if a fold moved pending counts meanwhile. */
export async function readCounts(place: StoredIn): Promise<StoredRow[]> {
  for (;;) {
    const pending = await pendingCounts(place);
    const linked = await countsOfLinks(place);
    const counts = summed([...pending, ...linked, ...(await countsWithoutLink(place, linked))]);
    if (isDeepStrictEqual(await pendingCounts(place), pending)) return counts;
  }
}

async function pendingCounts(place: StoredIn): Promise<StoredRow[]> {
  const rows = await queryStored(place, 'select app_id, facts from pending_counts order by id');
  return rows.flatMap(({ app_id, facts }) =>
    decodePending(String(facts))
      .filter(({ kind }) => ['click', 'install', 'open', 'event'].includes(kind))
      .map(({ link_id, minute, ...count }) => ({
        ...{ ...count, app_id, link_id: link_id ?? NO_LINK, day: minute.slice(0, 10) },
      })),
  );
}

async function countsOfLinks(place: StoredIn): Promise<StoredRow[]> {
  const days = await queryStored(place, 'select * from link_days');
  return days.flatMap(({ cells, ...key }) =>
    parseCells(String(cells)).flatMap(({ dimension, value, platform, quarterHours }) => {
      const counts = noCounts();
      for (const stored of quarterHours) addStored(counts, stored);
      const of = (kind: string, ...names: ('clicks' | 'otherClicks' | 'installs' | 'opens' | 'events')[]) => {
        const n = names.reduce((sum, name) => sum + countOf(counts, name), 0);
        const text = value.slice(1);
        return {
          ...key,
          kind,
          platform,
          visitor: kind === 'click' ? text : '',
          method: kind === 'click' ? '' : text,
          n,
        };
      };
      // Visitors partition the clicks of a link, methods its other records.
      if (dimension === 'visitor') return [of('click', 'clicks', 'otherClicks')];
      return dimension === 'method'
        ? [of('install', 'installs'), of('open', 'opens'), of('event', 'events')]
        : [];
    }),
  );
}

/** The records of the apps, less those of their links. */
async function countsWithoutLink(place: StoredIn, linked: readonly StoredRow[]): Promise<StoredRow[]> {
  const days = await queryStored(place, "select * from count_days where scope = '' and dimension = 'method'");
  const all = days.flatMap(({ value, installs, opens, events, ...key }) =>
    Object.entries({ install: installs, open: opens, event: events }).map(([kind, n]) => ({
      ...key,
      kind,
      method: String(value).slice(1),
      visitor: '',
      n: Number(n),
    })),
  );
  const less = linked.filter(({ kind }) => kind !== 'click').map((row) => ({ ...row, n: -Number(row.n) }));
  return [...all, ...less].map((row) => ({ ...row, link_id: NO_LINK, campaign_id: '' }));
}

/** The expected counts, as long as no record was dropped. */
export async function countRecords(place: StoredIn): Promise<StoredRow[]> {
  const day = (time: string) =>
    place.databaseUrl === null
      ? `substr(${time}, 1, 10)`
      : `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD')`;
  const attributed = (by: string) =>
    `coalesce(${by}.campaign_id, '') as campaign_id, ${by}.platform, ${by}.attribution_method as method, '' as visitor`;
  const rows = await queryStored(
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
       select events.app_id, coalesce(installs.link_id, '${NO_LINK}'), ${day('created_at')}, 'event',
         ${attributed('installs')}, events.sandbox
         from events join installs on installs.app_id = events.app_id and installs.id = events.install_id
     ) as records group by ${KEY}`,
  );
  return summed(rows);
}

/** Asserts that the counts equal the records. */
export async function assertCounted(place: StoredIn): Promise<void> {
  const records = await countRecords(place);
  assert.ok(records.length > 0, 'there are no records');
  assert.deepEqual(await readCounts(place), records);
}

/** One row for each key, in order, without zeros. */
function summed(rows: readonly StoredRow[]): StoredRow[] {
  const sums = new Map<string, StoredRow & { n: number }>();
  for (const row of rows) {
    const key: StoredRow = Object.fromEntries(KEY.split(', ').map((column) => [column, row[column]]));
    key.sandbox = Number(row.sandbox);
    const name = JSON.stringify(key);
    sums.set(name, { ...key, n: (sums.get(name)?.n ?? 0) + Number(row.n) });
  }
  return [...sums]
    .filter(([, { n }]) => n !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => row);
}
