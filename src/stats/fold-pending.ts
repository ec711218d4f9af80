/**
 * Adds the pending counts to the roll-ups. `count_days` and `count_quarters` have the cells of an app and of each of its
 * campaigns, `link_days` all cells of a link's day in one row: a link has few facts a day and many cells.
 */
import { type Db, lockUntilCommit, type Transaction } from '../db/index.ts';
import { SECOND_MS } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import type { Log } from '../lib/log.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import { Cells } from './cells.ts';
import { addCohorts } from './cohorts.ts';
import { BOUNDED, type Dimension, type Fact, MAX_VALUES, numbersOf, OTHER, valuesOf } from './dimensions.ts';
import {
  addLinkTotals,
  listAppsToFold,
  listKeptValues,
  mergeIntoLinkDay,
  mergeIntoScopeDay,
  takePending,
} from './roll-up-queries.ts';

const FOLD_EVERY_MS = SECOND_MS;

/** The cells of an app have the empty scope, those of a campaign this prefix and its ID. */
const CAMPAIGN_SCOPE = 'campaign=';

export function campaignScope(campaignId: string): string {
  return CAMPAIGN_SCOPE + campaignId;
}

/** Folds in the background. */
export function startFolding({ db, log }: { db: Db; log: Log }): Loop {
  return startLoop('counts', FOLD_EVERY_MS, log, async () => {
    for (const appId of await listAppsToFold(db)) await foldPending(db, appId);
  });
}

/** Folds everything that was committed before the call. Concurrent calls of a process share a fold. */
export function createFolder(db: Db): (appId: string) => Promise<void> {
  const folds = new Map<string, () => Promise<void>>();
  return async (appId) => {
    const fold = folds.get(appId) ?? coalesce(() => foldPending(db, appId));
    folds.set(appId, fold);
    await fold();
  };
}

/** In one transaction, after those of other processes that fold the same app. */
async function foldPending(db: Db, appId: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockUntilCommit(tx, `counts of ${appId}`);
    const facts = await takePending(tx, appId);
    for (const [day, ofDay] of Map.groupBy(
      facts,
      ({ minute, sandbox }) => `${minute.slice(0, 10)} ${sandbox}`,
    ))
      await foldDay(tx, { appId, sandbox: day.endsWith('1') ? 1 : 0, day: day.slice(0, 10) }, ofDay);
    await addCohorts(tx, appId, facts);
  });
}

/** A day, live or sandbox. */
export interface AppDay {
  readonly appId: string;
  readonly sandbox: 0 | 1;
  readonly day: string;
}

async function foldDay(tx: Transaction, of: AppDay, facts: readonly Fact[]): Promise<void> {
  const scopes = new Map<string, Cells>();
  const links = new Map<string, { linkId: string; campaignId: string; cells: Cells }>();
  const kept = await keptValues(tx, of, facts);
  for (const fact of facts) {
    const numbers = numbersOf(fact);
    if (numbers === null) continue;
    const values = boundedValues(valuesOf(fact), kept);
    const quarter = quarterOf(fact.minute);
    const { platform, campaign_id: campaignId, link_id: linkId } = fact;
    const add = (cells: Cells) => {
      cells.add({ dimension: '', value: '', platform }, quarter, numbers);
      for (const [dimension, value] of values) cells.add({ dimension, value, platform }, quarter, numbers);
    };
    add(cellsAt(scopes, ''));
    if (campaignId !== '') add(cellsAt(scopes, campaignScope(campaignId)));
    if (linkId === null) continue;
    const key = `${linkId} ${campaignId}`;
    const link = links.get(key) ?? { linkId, campaignId, cells: new Cells() };
    links.set(key, link);
    add(link.cells);
  }
  for (const [scope, cells] of scopes) await mergeIntoScopeDay(tx, { ...of, scope }, cells);
  for (const link of links.values()) await mergeIntoLinkDay(tx, { ...of, ...link }, link.cells);
  await addLinkTotals(tx, of, links.values());
}

function cellsAt(scopes: Map<string, Cells>, scope: string): Cells {
  const cells = scopes.get(scope) ?? new Cells();
  scopes.set(scope, cells);
  return cells;
}

function quarterOf(minute: string): number {
  return Number(minute.slice(11, 13)) * 4 + Math.floor(Number(minute.slice(14, 16)) / 15);
}

type KeptValues = ReadonlyMap<string, Set<string>>;

async function keptValues(tx: Transaction, of: AppDay, facts: readonly Fact[]): Promise<KeptValues> {
  const kept = new Map<string, Set<string>>([...BOUNDED].map((dimension) => [dimension, new Set()]));
  if (facts.every((fact) => fact.referrer === '' && fact.utm === '' && fact.event_name === '')) return kept;
  for (const { dimension, value } of await listKeptValues(tx, of, [...BOUNDED]))
    kept.get(dimension)?.add(value);
  return kept;
}

/** Keeps the first `MAX_VALUES` values of a day; the others become `OTHER`. */
function boundedValues(values: Map<Dimension, string>, kept: KeptValues): Map<Dimension, string> {
  for (const [dimension, value] of values) {
    const known = kept.get(dimension);
    if (known === undefined || known.has(value)) continue;
    if (known.size < MAX_VALUES) known.add(value);
    else values.set(dimension, OTHER);
  }
  return values;
}
