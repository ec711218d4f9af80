/** The links with the largest counts: an app has many, and adding up the days of all takes longer than all else. */
import { sql } from 'kysely';
import type { CountDaysTable, Db } from '../db/index.ts';
import { cellsOf } from './cell-queries.ts';
import { NONE } from './dimensions.ts';
import { type CellFilter, daysOf, divide, rowsOf, type Span } from './read-cells.ts';
import { ALL_DAYS } from './store-cells.ts';

/** So many times the links that are asked for are read first. */
const READ_FIRST = 2;
/** Reading one link after the other takes longer for more than reading all. */
const MAX_READ = 300;

interface Of extends Span {
  readonly filter: CellFilter;
  /** Of an integer. */
  readonly column: keyof CountDaysTable;
}

/**
 * A link has at most as much in a span as on all days: links with less on all days than `limit` others have in the span are
 * not read.
 * @returns the values of the `limit` links with most, of some others, and `NONE`; undefined for those of all links.
 */
export async function listLargestLinks(db: Db, of: Of, limit: number): Promise<string[] | undefined> {
  // The sums of all days are those of the app.
  if (of.filter.campaignId !== null) return largestOf(await readSizes(db, of), limit);
  const first = await listByAllDays(db, of, { least: 1, most: limit * READ_FIRST });
  const sizes = await readSizes(db, of, [NONE, ...first]);
  const least = leastOf(sizes, limit);
  const candidates = least === 0 ? null : await listByAllDays(db, of, { least, most: MAX_READ + 1 });
  if (candidates === null || candidates.length > MAX_READ) return largestOf(await readSizes(db, of), limit);
  const more = candidates.filter((value) => !first.includes(value));
  if (more.length === 0) return largestOf(sizes, limit);
  return largestOf(new Map([...sizes, ...(await readSizes(db, of, more))]), limit);
}

async function listByAllDays(
  db: Db,
  { filter, column }: Of,
  { least, most }: { least: number; most: number },
): Promise<string[]> {
  const allDays = { dimensions: ['link'], fromDay: ALL_DAYS, toDay: ALL_DAYS, platform: null };
  const rows = await cellsOf(db, 'count_days', { ...rowsOf(filter), ...allDays })
    .select('value')
    .where(column, '>=', least)
    .orderBy(column, 'desc')
    .limit(most)
    .execute();
  return rows.map(({ value }) => value);
}

interface Size {
  /** In the whole days of the span. */
  readonly least: number;
  /** With the whole days at both ends. */
  readonly most: number;
}

export async function readSizes(db: Db, of: Of, values?: readonly string[]): Promise<Map<string, Size>> {
  const size = sql.ref(of.column);
  const { fromDay, toDay } = divide(of).whole ?? { fromDay: ALL_DAYS, toDay: ALL_DAYS };
  const isWhole = sql`day >= ${fromDay} and day <= ${toDay}`;
  const rows = await cellsOf(db, 'count_days', {
    ...{ ...rowsOf(of.filter), ...daysOf(of), dimensions: ['link'], values },
  })
    .select([
      'value',
      sql<number>`cast(sum(case when ${isWhole} then ${size} else 0 end) as bigint)`.as('least'),
      sql<number>`cast(sum(${size}) as bigint)`.as('most'),
    ])
    .groupBy('value')
    .execute();
  return new Map(rows.map(({ value, ...sizes }) => [value, sizes]));
}

/** What the last of the `limit` largest links has at least. */
function leastOf(sizes: ReadonlyMap<string, Size>, limit: number): number {
  return [...sizes.values()].map(({ least }) => least).sort((a, b) => b - a)[limit - 1] ?? 0;
}

function largestOf(sizes: ReadonlyMap<string, Size>, limit: number): string[] | undefined {
  const least = leastOf(sizes, limit);
  const values = [...sizes].filter(([value, { most }]) => value === NONE || most >= least);
  return least === 0 || values.length > MAX_READ ? undefined : values.map(([value]) => value);
}
