/** The numbers of a period, and of the quarter hours of a day. */
import { addSums, fromRecord, NO_SUMS, type Sums, type SumsRecord, toRecord } from './revenue.ts';

/** In the order in which cells are stored: a new one is the last. `creditedEvents` are events by the link of the install's latest open; `toolClicks` are among `otherClicks`. */
export const COUNTS = [
  'clicks',
  'otherClicks',
  'installs',
  'attributedInstalls',
  'opens',
  'directOpens',
  'events',
  'creditedEvents',
  'toolClicks',
  'existingUsers',
] as const;
export type Count = (typeof COUNTS)[number];

export interface Numbers {
  /** In the order of `COUNTS`. */
  readonly counts: number[];
  revenue: Sums;
  creditedRevenue: Sums;
}

const ZEROS = COUNTS.map(() => 0);

export function noNumbers(): Numbers {
  return { counts: ZEROS.slice(), revenue: NO_SUMS, creditedRevenue: NO_SUMS };
}

export function addNumbers(to: Numbers, more: Numbers, sign: 1 | -1 = 1): void {
  // The innermost loop of a fold: an iterator of entries takes three times as long.
  for (let index = 0; index < COUNTS.length; index++)
    to.counts[index] = (to.counts[index] ?? 0) + sign * (more.counts[index] ?? 0);
  const signed = (sums: Sums): [string, bigint][] =>
    [...sums].map(([currency, amount]) => [currency, sign === 1 ? amount : -amount]);
  if (more.revenue.size > 0) to.revenue = addSums(to.revenue, signed(more.revenue));
  if (more.creditedRevenue.size > 0) {
    to.creditedRevenue = addSums(to.creditedRevenue, signed(more.creditedRevenue));
  }
}

export function countOf({ counts }: Numbers, count: Count): number {
  return counts[COUNTS.indexOf(count)] ?? 0;
}

/** By which link events and their revenue count: the install's, or that of the install's latest open before the event. */
export type Credit = 'install' | 'last';

/** @returns numbers whose events and revenue are those of a credit, without the other's. */
export function creditedBy(credit: Credit, numbers: Numbers): Numbers {
  const counts = [...numbers.counts];
  if (credit === 'last') counts[COUNTS.indexOf('events')] = countOf(numbers, 'creditedEvents');
  counts[COUNTS.indexOf('creditedEvents')] = 0;
  const revenue = credit === 'last' ? numbers.creditedRevenue : numbers.revenue;
  return { counts, revenue, creditedRevenue: NO_SUMS };
}

export function isEmpty({ counts, revenue, creditedRevenue }: Numbers): boolean {
  return counts.every((count) => count === 0) && revenue.size === 0 && creditedRevenue.size === 0;
}

/** Numbers by the quarter hour of a UTC day, 0 to 95. */
export type Quarters = Map<number, Numbers>;

export const QUARTERS_PER_DAY = 96;

export function quarterAt(quarters: Quarters, quarter: number): Numbers {
  const existing = quarters.get(quarter);
  if (existing !== undefined) return existing;
  const numbers = noNumbers();
  quarters.set(quarter, numbers);
  return numbers;
}

/** `[quarter, counts without last zeros, revenue, credited revenue]`; the last two only if there are any. */
export type EncodedQuarter = [number, number[], SumsRecord?, SumsRecord?];

/** Leaves out empty quarters. */
export function encodeQuarters(quarters: Quarters): EncodedQuarter[] {
  const encoded: EncodedQuarter[] = [];
  for (const [quarter, numbers] of quarters) {
    if (isEmpty(numbers)) continue;
    const { counts, revenue, creditedRevenue } = numbers;
    const used = counts.slice(0, counts.findLastIndex((count) => count !== 0) + 1);
    if (revenue.size + creditedRevenue.size === 0) encoded.push([quarter, used]);
    else encoded.push([quarter, used, toRecord(revenue), toRecord(creditedRevenue)]);
  }
  return encoded.sort(([a], [b]) => a - b);
}

/** Adds a stored quarter hour. Statistics add tens of thousands of them. */
export function addQuarter(to: Numbers, [, used, revenue, credited]: EncodedQuarter): void {
  for (let index = 0; index < used.length; index++)
    to.counts[index] = (to.counts[index] ?? 0) + (used[index] ?? 0);
  if (revenue !== undefined) to.revenue = addSums(to.revenue, fromRecord(revenue));
  if (credited !== undefined) to.creditedRevenue = addSums(to.creditedRevenue, fromRecord(credited));
}
