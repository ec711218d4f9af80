/**
 * Which values of a bounded dimension an app's day has cells of. Half of the places go to those with most records, the others
 * to values of earlier days first: a value with more records takes the place of one with fewer, whose counts move to
 * `OTHER`. So made-up values, each with a single click, hide no real one, whatever their days.
 */
import { LRUCache } from 'lru-cache';
import type { Transaction } from '../db/index.ts';
import { DAY_MS, dayOf, isoTime } from '../lib/clock.ts';
import { entryAt } from '../lib/entry-at.ts';
import { type Counts, countOf } from './add-counts.ts';
import { RECORDS } from './counts.ts';
import { BOUNDED, type Dimension, MAX_VALUES, OTHER } from './dimensions.ts';
import type { AppDay } from './fold-pending.ts';
import { listKnownValues, listPlaces } from './place-queries.ts';

/** Values that records have, and what they add. */
interface Counted {
  readonly values: ReadonlyMap<Dimension, string>;
  readonly counts: Counts;
}

export interface Places {
  /** By dimension, at most `MAX_VALUES`. */
  readonly kept: ReadonlyMap<string, ReadonlySet<string>>;
  /** Dimensions with more values, of which some may have cells but no place any more. */
  readonly full: readonly string[];
}

const KNOWN_FOR_DAYS = 30;
const PLACES_OF_LARGEST = MAX_VALUES / 2;
const MAX_CANDIDATES = 20_000;
/** Records of values without a place, in this process: most made-up values come once, real ones again. */
const candidates = new LRUCache<string, number>({ max: MAX_CANDIDATES });

/** Chooses the values of a day that have places once these counts are added. */
export async function choosePlaces(tx: Transaction, of: AppDay, counts: readonly Counted[]): Promise<Places> {
  const added = countByValue(counts);
  const kept = new Map<string, Set<string>>();
  const full: string[] = [];
  if (added.size === 0) return { kept, full };
  const stored = Map.groupBy(await listPlaces(tx, of, [...BOUNDED]), ({ dimension }) => dimension);
  for (const [dimension, counts] of added) {
    const weights = new Map((stored.get(dimension) ?? []).map(({ value, records }) => [value, records]));
    const before = new Set(weights.keys());
    for (const [value, n] of counts) weights.set(value, (weights.get(value) ?? 0) + n);
    if (weights.size <= MAX_VALUES) {
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
      if (!BOUNDED.has(dimension)) continue;
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
  const known = new Set(await listKnownValues(tx, of, { dimension, firstDay }));
  // Purchases of earlier installs are no records of the day: their value has a place, or is among the others.
  const withRecords = [...weights].filter(([value, weight]) => weight > 0 || before.has(value));
  const ranked = withRecords.map(([value, weight]) => {
    const key = `${of.appId} ${of.sandbox} ${of.day} ${dimension} ${value}`;
    const hasPlace = before.has(value);
    const records = hasPlace ? weight : weight + (candidates.get(key) ?? 0);
    return { value, key, records, hasPlace, isKnown: known.has(value) };
  });
  // A value keeps its place beside others with as many records, so that its count is not split.
  ranked.sort((a, b) => b.records - a.records || Number(b.hasPlace) - Number(a.hasPlace));
  const largest = ranked.slice(0, PLACES_OF_LARGEST);
  // The sort is stable: among known values, and among new ones, those with most records stay first.
  const others = ranked.slice(PLACES_OF_LARGEST).sort((a, b) => Number(b.isKnown) - Number(a.isKnown));
  const all = [...largest, ...others];
  for (const { key, records, hasPlace } of all.slice(MAX_VALUES)) if (!hasPlace) candidates.set(key, records);
  for (const { key } of all.slice(0, MAX_VALUES)) candidates.delete(key);
  return new Set(all.slice(0, MAX_VALUES).map(({ value }) => value));
}
