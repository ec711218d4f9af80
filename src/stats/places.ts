/**
 * Which values of a bounded dimension an app's day has cells of. Made-up values, however many and on whatever days, hide
 * none that had places before them, and none with most records of the day: a value that is preferred takes the place of
 * one that is not, whose counts move to `OTHER`.
 */
import { LRUCache } from 'lru-cache';
import type { Transaction } from '../db/index.ts';
import { DAY_MS, dayOf, isoTime } from '../lib/clock.ts';
import { entryAt } from '../lib/entry-at.ts';
import { type Counts, countOf } from './add-counts.ts';
import { RECORDS } from './counts.ts';
import { BOUNDED, type Dimension, MAX_VALUES, OTHER } from './dimensions.ts';
import type { AppDay } from './fold-pending.ts';
import { type KnownValue, listKnownValues, listPlaces } from './place-queries.ts';

/** Values that records have, and what they add. */
interface Counted {
  readonly values: ReadonlyMap<Dimension, string>;
  readonly counts: Counts;
}

export interface Places {
  /** By dimension, at most as many as it keeps. */
  readonly kept: ReadonlyMap<string, ReadonlySet<string>>;
  /** Dimensions with more values, of which some may have cells but no place any more. */
  readonly full: readonly string[];
}

const KNOWN_FOR_DAYS = 30;
/** The others are first those of known values, half of them of the oldest: who makes up values does so since some day. */
const PLACES_OF_LARGEST = 20;
const PLACES_OF_OLDEST = 90;
const PLACES_OF_KNOWN = 90;
/** Of an app: made-up values of one app do not push out the real ones of another. */
const MAX_CANDIDATES = 4_000;
const MAX_APPS = 50;

/** Records of values without a place, in this process: most made-up values come once, real ones again. */
export class Candidates {
  readonly #apps = new LRUCache<string, LRUCache<string, number>>({ max: MAX_APPS });

  of(appId: string): LRUCache<string, number> {
    const known = this.#apps.get(appId) ?? new LRUCache<string, number>({ max: MAX_CANDIDATES });
    this.#apps.set(appId, known);
    return known;
  }
}
const candidatesByApp = new Candidates();

/** Chooses the values of a day that have places once these counts are added. */
export async function choosePlaces(tx: Transaction, of: AppDay, counts: readonly Counted[]): Promise<Places> {
  const added = countByValue(counts);
  const kept = new Map<string, Set<string>>();
  const full: string[] = [];
  if (added.size === 0) return { kept, full };
  const stored = Map.groupBy(await listPlaces(tx, of, [...BOUNDED.keys()]), ({ dimension }) => dimension);
  for (const [dimension, counts] of added) {
    const weights = new Map((stored.get(dimension) ?? []).map(({ value, records }) => [value, records]));
    const before = new Set(weights.keys());
    for (const [value, n] of counts) weights.set(value, (weights.get(value) ?? 0) + n);
    if (weights.size <= (BOUNDED.get(dimension) ?? MAX_VALUES)) {
      kept.set(dimension, new Set(weights.keys()));
      continue;
    }
    full.push(dimension);
    kept.set(dimension, await chooseFrom(tx, of, { dimension, weights, before }));
  }
  return { kept, full };
}

/** The stored value: `OTHER` for one without a place. */
export function placed({ kept }: Places, dimension: string, value: string): string {
  return kept.get(dimension)?.has(value) === false ? OTHER : value;
}

function countByValue(counts: readonly Counted[]): Map<Dimension, Map<string, number>> {
  const added = new Map<Dimension, Map<string, number>>();
  for (const { values, counts: of } of counts) {
    const records = RECORDS.reduce((sum, name) => sum + countOf(of, name), 0);
    for (const [dimension, value] of values) {
      if (!BOUNDED.has(dimension) || value === OTHER) continue;
      const byValue = entryAt(added, dimension, () => new Map<string, number>());
      byValue.set(value, (byValue.get(value) ?? 0) + records);
    }
  }
  return added;
}

interface Choice {
  readonly dimension: Dimension;
  /** Records of the day; of values without a place those of these counts. */
  readonly weights: ReadonlyMap<string, number>;
  /** Values that have places. */
  readonly before: ReadonlySet<string>;
}

async function chooseFrom(tx: Transaction, of: AppDay, choice: Choice): Promise<Set<string>> {
  const { dimension, weights, before } = choice;
  const firstDay = dayOf(isoTime(Date.parse(of.day) - KNOWN_FOR_DAYS * DAY_MS));
  const known = await listKnownValues(tx, of, { dimension, firstDay });
  const candidates = candidatesByApp.of(of.appId);
  const keyOf = (value: string) => `${of.sandbox} ${of.day} ${dimension} ${value}`;
  // Purchases of earlier installs are no records of the day: their value has a place, or is among the others.
  const withRecords = [...weights].filter(([value, weight]) => weight > 0 || before.has(value));
  const records = new Map(
    withRecords.map(([value, weight]) => {
      return [value, before.has(value) ? weight : weight + (candidates.get(keyOf(value)) ?? 0)];
    }),
  );
  const kept = preferred({ records, before, known, max: BOUNDED.get(dimension) });
  for (const [value, count] of records) {
    if (kept.has(value)) candidates.delete(keyOf(value));
    else if (!before.has(value)) candidates.set(keyOf(value), count);
  }
  return kept;
}

/** @param records of the day. @param before values that have places. */
export function preferred({
  records,
  before,
  known,
  max = MAX_VALUES,
}: {
  records: ReadonlyMap<string, number>;
  before: ReadonlySet<string>;
  known: readonly KnownValue[];
  max?: number | undefined;
}): Set<string> {
  // A value keeps its place beside others with as many records, so that its count is not split.
  const largest = [...records]
    .sort(([a, left], [b, right]) => right - left || Number(before.has(b)) - Number(before.has(a)))
    .map(([value]) => value);
  const byRecords = known.filter(({ value }) => records.has(value)).sort((a, b) => b.records - a.records);
  // The sort is stable: of a day, those with most records are first.
  const byAge = byRecords.toSorted((a, b) =>
    a.firstDay < b.firstDay ? -1 : a.firstDay > b.firstDay ? 1 : 0,
  );
  const valuesOf = (some: readonly KnownValue[]) => some.map(({ value }) => value);
  const inOrder = new Set([
    ...largest.slice(0, PLACES_OF_LARGEST),
    ...valuesOf(byAge.slice(0, PLACES_OF_OLDEST)),
    ...valuesOf(byRecords.slice(0, PLACES_OF_KNOWN)),
    ...valuesOf(byRecords),
    ...largest,
  ]);
  return new Set([...inOrder].slice(0, max));
}
