/**
 * Adds the pending counts to the cells. `count_days` and `count_quarters` have the cells of an app and of each of its
 * campaigns, `link_days` all cells of a link's day in one row: a link has few records a day and many cells.
 */
import { type Db, type Flag, forEachReachable, lockUntilCommit, type Transaction } from '../db/index.ts';
import { dayOf, SECOND_MS } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { entryAt } from '../lib/entry-at.ts';
import type { Log } from '../lib/log.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import { listInviters } from '../links/index.ts';
import { addPending, type Counts, isEmpty, noCounts } from './add-counts.ts';
import { countsLock, scopeOf } from './cell-queries.ts';
import { Cells } from './cells.ts';
import { addCohorts } from './cohorts.ts';
import { valuesOf } from './dimensions.ts';
import { storeNames } from './network-campaigns.ts';
import type { Pending } from './pending.ts';
import { hasPending, listAppsToFold, takePending } from './pending-queries.ts';
import { moveToOther } from './place-queries.ts';
import { choosePlaces, placed } from './places.ts';
import { addLinksOfAllDays, type LinkCells, mergeIntoLinkDays, mergeIntoScopes } from './store-cells.ts';

/** A fold reads and writes the day of every link with new records, so more counts at once cost less. Reads fold too. */
const FOLD_EVERY_MS = 10 * SECOND_MS;
const ROWS_AT_ONCE = 100;
/** Some 2,000 counts. Bounds the memory of a fold, and the time for which other writes wait for it on SQLite. */
const MAX_BYTES = 300_000;

/** Folds in the background. */
export function startFolding({ db, log }: { db: Db; log: Log }): Loop {
  return startLoop('counts', FOLD_EVERY_MS, log, () => foldApps(db));
}

/** Folds the pending counts of all apps. */
export async function foldApps(db: Db): Promise<void> {
  await forEachReachable(
    db,
    await listAppsToFold(db),
    (appId) => appId,
    (appId) => foldAll(db, appId),
  );
}

/** Folds everything that was committed before the call. Concurrent calls of a process share a fold. */
export function createFolder(db: Db): (appId: string) => Promise<void> {
  const folds = new Map<string, () => Promise<void>>();
  return async (appId) => {
    const fold = folds.get(appId) ?? coalesce(() => foldAll(db, appId));
    folds.set(appId, fold);
    await fold();
  };
}

async function foldAll(db: Db, appId: string): Promise<void> {
  if (!(await hasPending(db, appId))) return;
  while ((await foldSome(db, appId)) === 'more');
}

/** In one transaction, after those of other processes that fold the same app. */
async function foldSome(db: Db, appId: string): Promise<'all' | 'more'> {
  return await db.transaction().execute(async (tx) => {
    await lockUntilCommit(tx, countsLock(appId));
    const groups = new PendingGroups();
    let [bytes, hasMore] = [0, true];
    do {
      const taken = await takePending(tx, appId, { rows: ROWS_AT_ONCE, bytes: MAX_BYTES - bytes });
      for (const count of taken.counts) groups.add(count);
      bytes += taken.bytes;
      hasMore = taken.hasMore;
    } while (hasMore && bytes < MAX_BYTES);
    for (const ofDay of Map.groupBy(
      groups.all,
      ({ first }) => `${first.sandbox} ${dayOf(first.minute)}`,
    ).values())
      await foldDay(tx, appId, ofDay);
    await addCohorts(tx, appId, groups.all);
    await storeNames(tx, appId, groups.all);
    return hasMore ? 'more' : 'all';
  });
}

/** Pending counts that differ in amount and number, and in the minute of a quarter hour, alone. */
export interface PendingGroup {
  readonly first: Pending;
  /** Of the UTC day. */
  readonly quarterHour: number;
  /** The sum of their `n`. */
  n: number;
  readonly counts: Counts;
}

class PendingGroups {
  readonly #groups = new Map<string, PendingGroup>();

  add(count: Pending): void {
    const quarterHour = quarterHourOf(count.minute);
    const { sandbox, link_id, kind, campaign_id, platform, method, visitor, country, referrer } = count;
    const key = [
      ...[sandbox, dayOf(count.minute), quarterHour, kind, link_id, campaign_id, platform, method, visitor],
      ...[country, referrer, count.utm, count.event_name, count.cohort_day],
      ...[count.platform_version, count.app_version],
      ...[count.network, count.network_campaign, count.network_campaign_name],
    ].join('\n');
    const group = this.#groups.get(key) ?? { first: count, quarterHour, n: 0, counts: noCounts() };
    this.#groups.set(key, group);
    group.n += count.n;
    addPending(group.counts, count);
  }

  get all(): PendingGroup[] {
    return [...this.#groups.values()];
  }
}

/** A day, live or sandbox. */
export interface AppDay {
  readonly appId: string;
  readonly sandbox: Flag;
  readonly day: string;
}

async function foldDay(tx: Transaction, appId: string, groups: readonly PendingGroup[]): Promise<void> {
  const [group] = groups;
  if (group === undefined) return;
  const of = { appId, sandbox: group.first.sandbox, day: dayOf(group.first.minute) };
  const withCounts = groups.filter(({ counts }) => !isEmpty(counts));
  const inviters = await listInviters(tx, appId, [
    ...new Set(withCounts.flatMap(({ first: { link_id } }) => link_id ?? [])),
  ]);
  const counted = withCounts.map((each) => {
    const inviter = inviters.get(each.first.link_id ?? '') ?? null;
    return { ...each, values: valuesOf({ ...each.first, inviter }) };
  });
  const places = await choosePlaces(tx, of, counted);
  /** By link and campaign; records without a link have cells too. */
  const links = new Map<string, { linkId: string | null; campaignId: string; cells: Cells }>();
  /** Of inviters, by campaign. */
  const invited = new Map<string, Cells>();
  for (const { first, quarterHour, counts, values } of counted) {
    const { platform, campaign_id: campaignId, link_id: linkId } = first;
    const { cells } = entryAt(links, `${linkId} ${campaignId}`, () => ({
      ...{ linkId, campaignId, cells: new Cells() },
    }));
    cells.add({ dimension: '', value: '', platform }, quarterHour, counts);
    for (const [dimension, value] of values) {
      const to = dimension === 'inviter' ? entryAt(invited, campaignId, () => new Cells()) : cells;
      to.add({ dimension, value: placed(places, dimension, value), platform }, quarterHour, counts);
    }
  }
  const scopes = new Map<string, Cells>();
  const all = [...links.values(), ...Array.from(invited, ([campaignId, cells]) => ({ campaignId, cells }))];
  for (const { campaignId, cells } of all)
    for (const scope of campaignId === '' ? [''] : ['', scopeOf(campaignId)])
      entryAt(scopes, scope, () => new Cells()).merge(cells);
  const linked = [...links.values()].filter((link): link is LinkCells => link.linkId !== null);
  if (places.full.length > 0) await moveToOther(tx, of, { scopes, places });
  await mergeIntoScopes(tx, of, scopes);
  await mergeIntoLinkDays(tx, of, {
    links: linked,
    placeOf: (cell) => placed(places, cell.dimension, cell.value),
  });
  await addLinksOfAllDays(tx, of, linked);
}

function quarterHourOf(minute: string): number {
  return Number(minute.slice(11, 13)) * 4 + Math.floor(Number(minute.slice(14, 16)) / 15);
}
