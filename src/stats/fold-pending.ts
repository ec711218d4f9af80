/**
 * Adds the pending counts to the roll-ups. `count_days` and `count_quarters` have the cells of an app and of each of its
 * campaigns, `link_days` all cells of a link's day in one row: a link has few facts a day and many cells.
 */
import { type Db, forEachReachable, lockUntilCommit, type Transaction } from '../db/index.ts';
import { dayOf, SECOND_MS } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import type { Log } from '../lib/log.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import { Cells } from './cells.ts';
import { addCohorts } from './cohorts.ts';
import { addFact, type FactGroup, valuesOf } from './dimensions.ts';
import type { Fact } from './pending.ts';
import { isEmpty, noNumbers } from './counts.ts';
import { listAppsToFold } from './pending-queries.ts';
import { moveToOther } from './place-queries.ts';
import { choosePlaces, placed } from './places.ts';
import {
  addLinkTotals,
  hasPending,
  type LinkCells,
  mergeIntoLinkDays,
  mergeIntoScopes,
  takePending,
} from './roll-up-queries.ts';

/** A fold reads and writes the day of every link with new records, so more facts at once cost less. Reads fold too. */
const FOLD_EVERY_MS = 10 * SECOND_MS;
const ROWS_AT_ONCE = 100;
/** Some 2,000 facts. Bounds the memory of a fold, and the time for which other writes wait for it on SQLite. */
const MAX_BYTES = 300_000;

/** The cells of an app have the empty scope, those of a campaign this prefix and its ID. */
const CAMPAIGN_SCOPE = 'campaign=';

export function campaignScope(campaignId: string): string {
  return CAMPAIGN_SCOPE + campaignId;
}

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
    await lockUntilCommit(tx, `counts of ${appId}`);
    const groups = new FactGroups();
    let [bytes, hasMore] = [0, true];
    do {
      const taken = await takePending(tx, appId, { rows: ROWS_AT_ONCE, bytes: MAX_BYTES - bytes });
      for (const facts of taken.facts) groups.add(facts);
      bytes += taken.bytes;
      hasMore = taken.hasMore;
    } while (hasMore && bytes < MAX_BYTES);
    for (const ofDay of Map.groupBy(
      groups.all,
      ({ fact }) => `${fact.sandbox} ${dayOf(fact.minute)}`,
    ).values())
      await foldDay(tx, appId, ofDay);
    await addCohorts(tx, appId, [...groups.all]);
    return hasMore ? 'more' : 'all';
  });
}

/** Facts that differ in their amount or their minute of a quarter hour alone count together. */
class FactGroups {
  readonly #groups = new Map<string, FactGroup>();

  add(facts: readonly Fact[]): void {
    for (const fact of facts) {
      const quarter = quarterOf(fact.minute);
      const { sandbox, link_id, kind, campaign_id, platform, method, visitor, country, referrer } = fact;
      const key = [
        ...[sandbox, dayOf(fact.minute), quarter, kind, link_id, campaign_id, platform, method, visitor],
        ...[country, referrer, fact.utm, fact.event_name, fact.cohort_day],
      ].join('\n');
      const group = this.#groups.get(key) ?? { fact, quarter, n: 0, numbers: noNumbers() };
      this.#groups.set(key, group);
      group.n += fact.n;
      addFact(group.numbers, fact);
    }
  }

  get all(): Iterable<FactGroup> {
    return this.#groups.values();
  }
}

/** A day, live or sandbox. */
export interface AppDay {
  readonly appId: string;
  readonly sandbox: 0 | 1;
  readonly day: string;
}

async function foldDay(tx: Transaction, appId: string, groups: readonly FactGroup[]): Promise<void> {
  const [first] = groups;
  if (first === undefined) return;
  const of = { appId, sandbox: first.fact.sandbox, day: dayOf(first.fact.minute) };
  const links = new Map<string, FoldedLink>();
  const counted = groups
    .filter(({ numbers }) => !isEmpty(numbers))
    .map((group) => ({ ...group, values: valuesOf(group.fact) }));
  const places = await choosePlaces(tx, of, counted);
  for (const { fact, quarter, numbers, values } of counted) {
    const { platform, campaign_id: campaignId, link_id: linkId } = fact;
    const key = `${linkId} ${campaignId}`;
    const { cells } = links.get(key) ?? addTo(links, key, { linkId, campaignId, cells: new Cells() });
    cells.add({ dimension: '', value: '', platform }, quarter, numbers);
    for (const [dimension, value] of values)
      cells.add({ dimension, value: placed(places, dimension, value), platform }, quarter, numbers);
  }
  const scopes = new Map<string, Cells>();
  for (const { campaignId, cells } of links.values()) {
    cellsAt(scopes, '').merge(cells);
    if (campaignId !== '') cellsAt(scopes, campaignScope(campaignId)).merge(cells);
  }
  const linked = [...links.values()].filter((link): link is LinkCells => link.linkId !== null);
  if (places.full.length > 0) await moveToOther(tx, of, { scopes, places });
  await mergeIntoScopes(tx, of, scopes);
  await mergeIntoLinkDays(tx, of, {
    links: linked,
    placeOf: (cell) => placed(places, cell.dimension, cell.value),
  });
  await addLinkTotals(tx, of, linked);
}

/** The cells of a link in a campaign; without `linkId`, those of records without a link. */
type FoldedLink = Omit<LinkCells, 'linkId'> & { readonly linkId: string | null };

function addTo(links: Map<string, FoldedLink>, key: string, link: FoldedLink): FoldedLink {
  links.set(key, link);
  return link;
}

function cellsAt(scopes: Map<string, Cells>, scope: string): Cells {
  const cells = scopes.get(scope) ?? new Cells();
  scopes.set(scope, cells);
  return cells;
}

function quarterOf(minute: string): number {
  return Number(minute.slice(11, 13)) * 4 + Math.floor(Number(minute.slice(14, 16)) / 15);
}
