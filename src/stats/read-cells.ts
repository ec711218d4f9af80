/** Reads cells of an app, a campaign or a link. */
import { sql } from 'kysely';
import type { Db, Flag } from '../db/index.ts';
import { chunks } from '../lib/chunks.ts';
import { DAY_MS, dayOf, isoTime } from '../lib/clock.ts';
import { parseCells } from './cells.ts';
import { NONE } from './dimensions.ts';
import { campaignScope } from './fold-pending.ts';
import { addQuarter, type EncodedQuarter, type Numbers, noNumbers, QUARTERS_PER_DAY } from './counts.ts';
import { addSums, fromRecord, type SumsRecord } from './revenue.ts';
import { COUNT_COLUMNS } from './roll-up-queries.ts';

export interface CellFilter {
  readonly appId: string;
  readonly sandbox: Flag;
  /** All links if null. */
  readonly linkId: string | null;
  /** All campaigns if null. */
  readonly campaignId: string | null;
  /** All platforms if null. */
  readonly platform: string | null;
}

/** Whole UTC days, both included. */
interface Days {
  readonly fromDay: string;
  readonly toDay: string;
}

interface DayCell {
  readonly day: string;
  /** See `toValue`. */
  readonly value: string;
  readonly platform: string;
  readonly quarters: readonly EncodedQuarter[];
}

const QUARTER_MS = DAY_MS / QUARTERS_PER_DAY;

/** Calls `visit` with the start of each quarter hour that has numbers. */
export async function forEachQuarter(
  db: Db,
  filter: CellFilter,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  visit: (startMs: number, platform: string, quarter: EncodedQuarter) => void,
): Promise<void> {
  const range = { dimension: '', ...daysIn(fromMs, toMs) };
  for (const { day, platform, quarters } of await readCells(db, filter, range)) {
    const dayMs = Date.parse(day);
    for (const quarter of quarters) {
      const startMs = dayMs + quarter[0] * QUARTER_MS;
      if (startMs >= fromMs && startMs < toMs) visit(startMs, platform, quarter);
    }
  }
}

/** The numbers of a period by the values of a dimension; whole days are added up by the database. */
export async function sumByValue(
  db: Db,
  filter: CellFilter,
  dimension: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<Map<string, Numbers>> {
  const sums = new Map<string, Numbers>();
  const { whole, parts } =
    filter.linkId === null ? divide(fromMs, toMs) : { whole: null, parts: [daysIn(fromMs, toMs)] };
  if (whole !== null) {
    await addCounts(db, filter, { dimension, ...whole }, sums);
    await addRevenue(db, filter, { dimension, ...whole }, sums);
  }
  for (const days of parts) await addQuarters(db, filter, { dimension, ...days, fromMs, toMs }, sums);
  return sums;
}

/**
 * As `sumByValue`, for the links with the largest counts alone, and for `NONE`: an app has many links, and reading the
 * quarter hours and the revenue of all takes ten times as long as adding up their days.
 * @param metricOf a sum of counts.
 */
export async function sumLargestLinks(
  db: Db,
  filter: CellFilter,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  { metricOf, limit }: { metricOf: (numbers: Numbers) => number; limit: number },
): Promise<Map<string, Numbers>> {
  const { whole, parts } = divide(fromMs, toMs);
  const least = new Map<string, Numbers>();
  if (whole !== null) await addCounts(db, filter, { dimension: 'link', ...whole }, least);
  // A link has at most the counts of the whole days at both ends.
  const rest = new Map<string, Numbers>();
  for (const days of parts) await addCounts(db, filter, { dimension: 'link', ...days }, rest);
  const countAt = (sums: ReadonlyMap<string, Numbers>, value: string) => {
    const numbers = sums.get(value);
    return numbers === undefined ? 0 : metricOf(numbers);
  };
  const all = [...new Set([...least.keys(), ...rest.keys()])];
  const threshold = all.map((value) => countAt(least, value)).sort((a, b) => b - a)[limit - 1] ?? 0;
  const values = all.filter(
    (value) => value === NONE || countAt(least, value) + countAt(rest, value) >= threshold,
  );
  const sums = new Map(values.map((value) => [value, least.get(value) ?? noNumbers()]));
  for (const some of chunks(values, VALUES_PER_STATEMENT)) {
    const cells = { dimension: 'link', values: some };
    if (whole !== null) await addRevenue(db, filter, { ...cells, ...whole }, sums);
    for (const days of parts) await addQuarters(db, filter, { ...cells, ...days, fromMs, toMs }, sums);
  }
  return sums;
}

const VALUES_PER_STATEMENT = 500;

function sumAt(sums: Map<string, Numbers>, value: string): Numbers {
  const sum = sums.get(value) ?? noNumbers();
  sums.set(value, sum);
  return sum;
}

function daysIn(fromMs: number, toMs: number): Days {
  return { fromDay: dayOf(isoTime(fromMs)), toDay: dayOf(isoTime(toMs - 1)) };
}

/** The whole UTC days of a period, and the days of which it has a part. */
function divide(fromMs: number, toMs: number): { whole: Days | null; parts: Days[] } {
  const wholeFromMs = Math.ceil(fromMs / DAY_MS) * DAY_MS;
  const wholeToMs = Math.floor(toMs / DAY_MS) * DAY_MS;
  if (wholeFromMs >= wholeToMs) return { whole: null, parts: [daysIn(fromMs, toMs)] };
  const parts: Days[] = [];
  if (fromMs < wholeFromMs) parts.push(daysIn(fromMs, wholeFromMs));
  if (wholeToMs < toMs) parts.push(daysIn(wholeToMs, toMs));
  return { whole: daysIn(wholeFromMs, wholeToMs), parts };
}

interface CellRange extends Days {
  readonly dimension: string;
  /** All if undefined. */
  readonly values?: readonly string[];
}

function selectDays(
  db: Db,
  { appId, sandbox, campaignId, platform }: CellFilter,
  { dimension, fromDay, toDay, values }: CellRange,
) {
  return (
    db
      .selectFrom('count_days')
      .where('app_id', '=', appId)
      .where('sandbox', '=', sandbox)
      .where('scope', '=', scopeOf(campaignId))
      .where('dimension', '=', dimension)
      // By each day and value in the primary key, in place of all values of the days.
      .$if(values === undefined, (query) => query.where('day', '>=', fromDay).where('day', '<=', toDay))
      .$if(values !== undefined, (query) =>
        query.where('day', 'in', listDays({ fromDay, toDay })).where('value', 'in', values ?? []),
      )
      .$if(platform !== null, (query) => query.where('platform', '=', platform ?? ''))
  );
}

async function addCounts(
  db: Db,
  filter: CellFilter,
  range: CellRange,
  sums: Map<string, Numbers>,
): Promise<void> {
  const counted = await selectDays(db, filter, range)
    .select('value')
    .select(COUNT_COLUMNS.map((column) => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`.as(column)))
    .groupBy('value')
    .execute();
  for (const row of counted) {
    const { counts } = sumAt(sums, row.value);
    for (const [index, column] of COUNT_COLUMNS.entries()) counts[index] = (counts[index] ?? 0) + row[column];
  }
}

async function addRevenue(
  db: Db,
  filter: CellFilter,
  range: CellRange,
  sums: Map<string, Numbers>,
): Promise<void> {
  const earned = await selectDays(db, filter, range)
    .select(['value', 'revenue', 'credited_revenue'])
    .where(({ or, eb }) => or([eb('revenue', 'is not', null), eb('credited_revenue', 'is not', null)]))
    .execute();
  const parse = (text: string | null) => fromRecord(JSON.parse(text ?? '{}') as SumsRecord);
  for (const { value, revenue, credited_revenue } of earned) {
    const sum = sumAt(sums, value);
    sum.revenue = addSums(sum.revenue, parse(revenue));
    sum.creditedRevenue = addSums(sum.creditedRevenue, parse(credited_revenue));
  }
}

async function addQuarters(
  db: Db,
  filter: CellFilter,
  { fromMs, toMs, ...range }: CellRange & { fromMs: number; toMs: number },
  sums: Map<string, Numbers>,
): Promise<void> {
  for (const { day, value, quarters } of await readCells(db, filter, range)) {
    const dayMs = Date.parse(day);
    for (const quarter of quarters) {
      const startMs = dayMs + quarter[0] * QUARTER_MS;
      if (startMs >= fromMs && startMs < toMs) addQuarter(sumAt(sums, value), quarter);
    }
  }
}

function listDays({ fromDay, toDay }: Days): string[] {
  const days: string[] = [];
  for (let ms = Date.parse(fromDay); ms <= Date.parse(toDay); ms += DAY_MS) days.push(dayOf(isoTime(ms)));
  return days;
}

async function readCells(db: Db, filter: CellFilter, range: CellRange): Promise<DayCell[]> {
  if (filter.linkId !== null) return await readLinkCells(db, { ...filter, linkId: filter.linkId }, range);
  const { appId, sandbox, campaignId, platform } = filter;
  const { dimension, fromDay, toDay, values } = range;
  const cells = await db
    .selectFrom('count_quarters')
    .select(['day', 'value', 'platform', 'quarters'])
    .where('app_id', '=', appId)
    .where('sandbox', '=', sandbox)
    .where('scope', '=', scopeOf(campaignId))
    .where('dimension', '=', dimension)
    .where('day', '>=', fromDay)
    .where('day', '<=', toDay)
    .$if(values !== undefined, (query) => query.where('value', 'in', values ?? []))
    .$if(platform !== null, (query) => query.where('platform', '=', platform ?? ''))
    .execute();
  return cells.map(({ quarters, ...cell }) => ({
    ...cell,
    quarters: JSON.parse(quarters) as EncodedQuarter[],
  }));
}

function scopeOf(campaignId: string | null): string {
  return campaignId === null ? '' : campaignScope(campaignId);
}

async function readLinkCells(
  db: Db,
  { appId, sandbox, linkId, campaignId, platform }: CellFilter & { linkId: string },
  { dimension, fromDay, toDay }: CellRange,
): Promise<DayCell[]> {
  const days = await db
    .selectFrom('link_days')
    .select(['day', 'cells'])
    .where('app_id', '=', appId)
    .where('link_id', '=', linkId)
    .where('sandbox', '=', sandbox)
    .where('day', '>=', fromDay)
    .where('day', '<=', toDay)
    .$if(campaignId !== null, (query) => query.where('campaign_id', '=', campaignId ?? ''))
    .execute();
  return days.flatMap(({ day, cells }) =>
    parseCells(cells)
      .filter((cell) => cell.dimension === dimension && (platform === null || cell.platform === platform))
      .map((cell) => ({ day, ...cell })),
  );
}
