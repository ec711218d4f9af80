/** What records add up to, and how cells hold it. */
import {
  COUNTS,
  type CountName,
  type Credit,
  type Difference,
  INTEGERS,
  lastOf,
  MONEY,
  type MoneyName,
  STORED,
  type StoredCount,
} from './counts.ts';
import type { Pending } from './pending.ts';
import {
  addAmount,
  type Money,
  NO_MONEY,
  type StoredMoney,
  storeMoney,
  toTenThousandths,
} from './revenue.ts';

/** By place. */
export interface Counts {
  readonly integers: number[];
  readonly money: Money[];
  /** Of whole days; undefined where costs are not known. */
  cost?: Money;
  /** Present with `cost`. */
  organic?: Organic;
}

/** The installs that neither a link nor a network brought, and their revenue. */
export interface Organic {
  readonly installs: number;
  readonly revenue: Money;
}

export const NO_ORGANIC: Organic = { installs: 0, revenue: NO_MONEY };

const NONE: Counts = { integers: INTEGERS.map(() => 0), money: MONEY.map(() => NO_MONEY) };

export function noCounts(): Counts {
  return copyOf(NONE);
}

export function copyOf({ integers, money, cost, organic = NO_ORGANIC }: Counts): Counts {
  const copy = {
    integers: integers.slice(),
    money: money.map((each) => (each.size === 0 ? NO_MONEY : new Map(each))),
  };
  return cost === undefined ? copy : { ...copy, cost, organic };
}

/** @param cost undefined where it is not known. */
export function withCost(
  { cost: _, organic: __, ...ofRecords }: Counts,
  cost: Money | undefined,
  organic = NO_ORGANIC,
): Counts {
  return cost === undefined ? ofRecords : { ...ofRecords, cost, organic };
}

export function isEmpty({ integers, money }: Counts): boolean {
  return integers.every((count) => count === 0) && money.every(({ size }) => size === 0);
}

export function countOf(counts: Counts, name: CountName): number {
  const count: StoredCount | Difference = COUNTS[name];
  if ('place' in count) return counts.integers[count.place] ?? 0;
  return countOf(counts, count.minuend as CountName) - countOf(counts, count.subtrahend as CountName);
}

export function moneyOf(counts: Counts, name: MoneyName): Money {
  return counts.money[COUNTS[name].place] ?? NO_MONEY;
}

export function addCounts(to: Counts, more: Counts, sign: 1 | -1 = 1): void {
  // The innermost loop of a fold: an iterator of entries takes three times as long.
  for (let place = 0; place < to.integers.length; place++)
    to.integers[place] = (to.integers[place] ?? 0) + sign * (more.integers[place] ?? 0);
  for (let place = 0; place < more.money.length; place++)
    for (const [currency, amount] of more.money[place] ?? NO_MONEY)
      addAmount(moneyAt(to, place), currency, sign === 1 ? amount : -amount);
  if (to.cost === undefined) return;
  to.cost = addUpMoney(to.cost, more.cost, sign);
  to.organic = addOrganic(to.organic, more.organic, sign);
}

function addUpMoney(money: Money, more = NO_MONEY, sign: 1 | -1 = 1): Money {
  const sum = new Map(money);
  for (const [currency, amount] of more) addAmount(sum, currency, sign === 1 ? amount : -amount);
  return sum;
}

export function addOrganic(organic = NO_ORGANIC, more = NO_ORGANIC, sign: 1 | -1 = 1): Organic {
  return {
    installs: organic.installs + sign * more.installs,
    revenue: addUpMoney(organic.revenue, more.revenue, sign),
  };
}

/** @param counts of the installs that no link brought. */
export function organicOf(counts: Counts): Organic {
  const [all, ofNetworks] = [moneyOf(counts, 'cohortRevenue'), moneyOf(counts, 'networkCohortRevenue')];
  return {
    installs: countOf(counts, 'installs') - countOf(counts, 'networkInstalls'),
    revenue: addUpMoney(all, ofNetworks, -1),
  };
}

export function addUp(all: Iterable<Counts>): Counts {
  const sum = noCounts();
  for (const counts of all) addCounts(sum, counts);
  return sum;
}

/** Most counts have no money, and share its absence. */
function moneyAt({ money }: Counts, place: number): Map<string, bigint> {
  if (money[place] === NO_MONEY) money[place] = new Map();
  return money[place] as Map<string, bigint>;
}

/** Adds what records add; nothing of the kind `active`, which cohorts count. */
export function addPending(to: Counts, count: Pending): void {
  const { n, currency, amount } = count;
  for (const { place, adds } of INTEGERS) if (adds(count)) to.integers[place] = (to.integers[place] ?? 0) + n;
  if (currency === '') return;
  for (const { place, adds } of MONEY)
    if (adds(count)) addAmount(moneyAt(to, place), currency, toTenThousandths(amount) * BigInt(n));
}

/** @returns counts of one credit, without the other's. */
export function creditedBy(credit: Credit, counts: Counts): Counts {
  const credited = copyOf(counts);
  for (const count of STORED) {
    const last = lastOf(count);
    if (last === null) continue;
    const values: unknown[] = count.isMoney === true ? credited.money : credited.integers;
    if (credit === 'last') values[count.place] = values[last.place];
    values[last.place] = count.isMoney === true ? NO_MONEY : 0;
  }
  return credited;
}

/** Of a quarter hour of a UTC day, 0 to 95, without last zeros and last empty money. */
export type StoredCounts = [quarterHour: number, integers: number[], ...money: StoredMoney[]];

export function storeCounts(quarterHour: number, { integers, money }: Counts): StoredCounts {
  const used = integers.findLastIndex((count) => count !== 0) + 1;
  const usedMoney = money.findLastIndex(({ size }) => size > 0) + 1;
  return [quarterHour, integers.slice(0, used), ...money.slice(0, usedMoney).map(storeMoney)];
}

/** Statistics add tens of thousands of them. */
export function addStored(to: Counts, stored: StoredCounts): void {
  const integers = stored[1];
  for (let place = 0; place < integers.length; place++)
    to.integers[place] = (to.integers[place] ?? 0) + (integers[place] ?? 0);
  for (let index = 2; index < stored.length; index++)
    addStoredMoney(to, index - 2, stored[index] as StoredMoney);
}

function addStoredMoney(to: Counts, place: number, stored: StoredMoney): void {
  for (const currency in stored) addAmount(moneyAt(to, place), currency, BigInt(stored[currency] ?? 0));
}

export type Columns = Record<string, number | string | null>;

/** The values of the columns of `count_days`. */
export function toColumns({ integers, money }: Counts): Columns {
  const columns: Columns = {};
  for (const { place, column } of INTEGERS) columns[column] = integers[place] ?? 0;
  for (const { place, column } of MONEY)
    columns[column] = money[place]?.size ? JSON.stringify(storeMoney(money[place])) : null;
  return columns;
}

/** Adds columns, those with money as one text or as several, separated by commas. */
export function addColumns(to: Counts, columns: Columns): void {
  for (const { place, column } of INTEGERS)
    to.integers[place] = (to.integers[place] ?? 0) + Number(columns[column] ?? 0);
  for (const { place, column } of MONEY)
    for (const stored of JSON.parse(`[${columns[column] ?? ''}]`) as StoredMoney[])
      addStoredMoney(to, place, stored);
}
