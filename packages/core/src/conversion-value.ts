/** The rules of conversion values, without input or output. */
import { isObject } from './answers.ts';
import { faultOfRevenue } from './event.ts';
import type { ConversionState } from './state.ts';
import type { ConversionValue, JsonObject, Revenue } from './types.ts';

interface Range {
  readonly from: number;
  readonly to: number;
  readonly eventName: string;
  readonly minRevenue: Revenue | null;
  readonly lock: boolean;
}

/** What the app wants to tell Apple in a window, of which there are three. */
export interface Rules {
  readonly fine: readonly Range[];
  readonly coarse: Readonly<Record<'low' | 'medium' | 'high', string | null>>;
}

const LEVELS = ['low', 'medium', 'high'] as const;
export const DAY_MS = 86_400_000;
const ENDS_MS = [2 * DAY_MS, 7 * DAY_MS, 35 * DAY_MS];
/** Money is summed in ten-thousandths, which amounts have at most. */
const UNITS = 10_000;

/** @returns the number of the window; -1 after the last. */
export function windowAt(ageMs: number): number {
  return ENDS_MS.findIndex((endMs) => ageMs < endMs);
}

/** @returns null for an answer that is no schema. */
export function readSchema({ windows }: JsonObject): readonly Rules[] | null {
  const isSchema =
    Array.isArray(windows) &&
    windows.length === 3 &&
    windows.every((each) => {
      if (!isObject(each) || !Array.isArray(each.fine) || !isObject(each.coarse)) return false;
      const { fine, coarse } = each;
      return (
        fine.length <= 64 &&
        fine.every(isRange) &&
        LEVELS.every((level) => coarse[level] === null || typeof coarse[level] === 'string')
      );
    });
  return isSchema ? (windows as unknown as readonly Rules[]) : null;
}

function isRange(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { from, to, eventName, minRevenue, lock } = value;
  const isSum = minRevenue !== undefined && faultOfRevenue(minRevenue as unknown as Revenue) === null;
  const isWithin = isValue(from) && isValue(to) && Number(from) <= Number(to);
  return isWithin && typeof eventName === 'string' && isSum && typeof lock === 'boolean';
}

function isValue(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 64;
}

export function namesOf(schema: readonly Rules[]): string[] {
  return schema
    .flatMap(({ fine, coarse }) => [...fine.map(({ eventName }) => eventName), ...Object.values(coarse)])
    .filter((name) => name !== null);
}

export function unitsOf(amount: string): number {
  return Math.round(Number(amount) * UNITS);
}

/** @returns the value to set in a window; null if Apple has it, or shall have none. */
export function nextValue({ schema, windows }: ConversionState, index: number): ConversionValue | null {
  const { counts, set } = windows[index] ?? {};
  const rules = schema?.[index];
  if (!schema || !rules || !counts || set?.lock || namesOf(schema).length === 0) return null;
  const countOf = (name: string | null) => counts.find((each) => each.name === name);
  let fine = 0;
  let lock = false;
  for (const { from, to, eventName, minRevenue, lock: locks } of rules.fine) {
    const { n = 0, sums = {} } = countOf(eventName) ?? {};
    const sum = minRevenue ? (sums[minRevenue.currency] ?? 0) - unitsOf(minRevenue.amount) : 0;
    if (n === 0 || sum < 0) continue;
    fine = Math.max(fine, Math.min(to, from + n - 1));
    lock ||= locks;
  }
  let reached = -1;
  for (const [at, level] of LEVELS.entries()) if (countOf(rules.coarse[level])?.n) reached = at;
  if (index > 0) {
    // A value without anything reached would report what never happened.
    if (reached < 0 && !lock && windows.some((each) => each.set)) return null;
    fine = windows[0]?.set?.fine ?? 0;
  }
  fine = Math.max(fine, set?.fine ?? 0);
  // What a fault of the storage left must not be set again and again.
  if (!isValue(fine)) return null;
  const coarse = LEVELS[Math.max(0, reached, LEVELS.indexOf(set?.coarse ?? 'low'))] ?? 'low';
  return set?.fine === fine && set.coarse === coarse && !lock ? null : { fine, coarse, lock };
}
