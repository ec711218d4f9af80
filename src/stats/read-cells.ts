/** Reads cells of an app, a campaign or a link. */
import { sql } from 'kysely';
import type { Db, Flag } from '../db/index.ts';
import { chunks } from '../lib/chunks.ts';
import { DAY_MS, dayOf, isoTime } from '../lib/clock.ts';
import { entryAt } from '../lib/entry-at.ts';
import { inPieces } from '../lib/in-pieces.ts';
import {
  addColumns,
  addStored,
  type Columns,
  type Counts,
  noCounts,
  type StoredCounts,
} from './add-counts.ts';
import { campaignOf, cellsOf, QUARTER_HOURS, scopeOf } from './cell-queries.ts';
import { type CellKey, parseCells, parseQuarterHours } from './cells.ts';
import { INTEGERS, MONEY } from './counts.ts';
import type { DimensionFilter } from './dimension-filter.ts';
import { isOfNetwork } from './dimensions.ts';
import { QUARTER_HOUR_MS } from './periods.ts';

export interface CellFilter {
  readonly appId: string;
  readonly sandbox: Flag;
  /** All links if null. */
  readonly linkId: string | null;
  /** The install that made the link of `linkId`. */
  readonly inviter?: string | null;
  /** All campaigns if null; empty for records without one, of a link, or of an app by `only`. */
  readonly campaignId: string | null;
  /** All platforms if null. */
  readonly platform: string | null;
  readonly only: DimensionFilter | null;
}

export interface Span {
  readonly fromMs: number;
  /** Excluded. */
  readonly toMs: number;
}

/** What counts are added up by: the value of the cell, or the platform of cells of the empty dimension. */
type KeyBy = 'value' | 'platform' | 'campaign';

interface Wanted extends Span {
  readonly dimensions: readonly string[];
  /** All if undefined. */
  readonly values?: readonly string[] | undefined;
  /** As of `CellRows`. */
  readonly network?: string | undefined;
  /** Of the span; all if null. */
  readonly days?: readonly string[] | null;
  /** In place of that of the filter. */
  readonly campaignIds?: readonly string[] | undefined;
  readonly keyBy?: KeyBy;
}

/** Whole UTC days, both included. */
export interface Days {
  readonly fromDay: string;
  readonly toDay: string;
}

export interface DayCell extends CellKey {
  readonly day: string;
  /** Of the link's clicks, empty without one; null for cells of all campaigns. */
  readonly campaignId: string | null;
  /** Null for cells of all links. */
  readonly linkId: string | null;
  readonly quarterHours: readonly StoredCounts[];
}

/** By dimension, then by key. */
export type CountsByKey = ReadonlyMap<string, ReadonlyMap<string, Counts>>;

/** What cells add up to; the database adds up whole days. */
export async function sumCells(db: Db, filter: CellFilter, wanted: Wanted): Promise<CountsByKey> {
  const sums = new Map<string, Map<string, Counts>>();
  if (wanted.dimensions.length === 0 || isNothing(wanted)) return sums;
  const newMap = () => new Map<string, Counts>();
  const at = (dimension: string, key: string) => entryAt(entryAt(sums, dimension, newMap), key, noCounts);
  const { whole, ends } = filter.linkId === null ? divide(wanted) : { whole: null, ends: null };
  if (whole !== null)
    for (const { dimension, key, ...columns } of await addUpDays(db, filter, { ...wanted, ...whole }))
      addColumns(at(dimension, key), columns);
  if (ends?.length !== 0)
    await forEachQuarterHour(db, filter, { ...wanted, days: ends }, (cell, _, counts) => {
      addStored(at(cell.dimension, keyOf(cell, wanted.keyBy)), counts);
    });
  return sums;
}

function keyOf({ dimension, value, platform, campaignId }: DayCell, keyBy: KeyBy = 'value'): string {
  if (keyBy === 'campaign') return campaignId ?? '';
  return keyBy === 'platform' || dimension === '' ? platform : value;
}

/** Such as a period before that has not begun, or the links of no groups. */
function isNothing({ fromMs, toMs, values }: Wanted): boolean {
  return fromMs >= toMs || values?.length === 0;
}

/** Calls `visit` with the start of each quarter hour that has counts. */
export async function forEachQuarterHour(
  db: Db,
  filter: CellFilter,
  wanted: Wanted,
  visit: (cell: DayCell, startMs: number, counts: StoredCounts) => void,
): Promise<void> {
  await visitQuarterHours(await readCells(db, filter, wanted), wanted, visit);
}

export async function visitQuarterHours(
  cells: readonly DayCell[],
  { fromMs, toMs }: Span,
  visit: (cell: DayCell, startMs: number, counts: StoredCounts) => void,
): Promise<void> {
  await inPieces(cells, (cell) => {
    const dayMs = Date.parse(cell.day);
    for (const counts of cell.quarterHours) {
      const startMs = dayMs + counts[0] * QUARTER_HOUR_MS;
      if (startMs >= fromMs && startMs < toMs) visit(cell, startMs, counts);
    }
  });
}

/** The whole UTC days of a span, and the days of which it has a part; null without whole days. */
export function divide(span: Span): { whole: Days; ends: string[] } | { whole: null; ends: null } {
  const fromMs = Math.ceil(span.fromMs / DAY_MS) * DAY_MS;
  const toMs = Math.floor(span.toMs / DAY_MS) * DAY_MS;
  if (fromMs >= toMs) return { whole: null, ends: null };
  const { fromDay, toDay } = daysOf(span);
  const ends = [...(span.fromMs < fromMs ? [fromDay] : []), ...(toMs < span.toMs ? [toDay] : [])];
  return { whole: daysOf({ fromMs, toMs }), ends };
}

export function daysOf({ fromMs, toMs }: Span): Days {
  return { fromDay: dayOf(isoTime(fromMs)), toDay: dayOf(isoTime(toMs - 1)) };
}

const KEYS = {
  value: sql<string>`case dimension when '' then platform else value end`,
  platform: sql<string>`platform`,
  campaign: sql<string>`scope`,
} as const satisfies Record<KeyBy, unknown>;

type Row = { dimension: string; key: string } & Columns;

async function addUpDays(db: Db, filter: CellFilter, of: Wanted & Days): Promise<Row[]> {
  const sums = INTEGERS.map(({ column }) =>
    sql<number>`cast(sum(${sql.ref(column)}) as bigint)`.as(column as 'clicks'),
  );
  const lists = MONEY.map(({ column }) =>
    sql<string>`string_agg(${sql.ref(column)}, ',')`.as(column as 'revenue'),
  );
  const { keyBy = 'value' } = of;
  const rows = await cellsOf(db, 'count_days', { ...rowsOf(filter, of.campaignIds), ...of })
    .select(['dimension', KEYS[keyBy].as('key'), ...sums, ...lists])
    .groupBy(['dimension', 'key'])
    .execute();
  return keyBy === 'campaign' ? rows.map((row) => ({ ...row, key: campaignOf(row.key) })) : rows;
}

/** The rows of an app, or of campaigns. */
export function rowsOf(
  { appId, sandbox, campaignId, platform }: CellFilter,
  campaignIds: readonly string[] = [campaignId ?? ''],
) {
  return { appId, sandbox, scopes: campaignIds.map(scopeOf), platform };
}

export async function readCells(db: Db, filter: CellFilter, wanted: Wanted): Promise<DayCell[]> {
  const { linkId } = filter;
  if (isNothing(wanted)) return [];
  if (linkId !== null) return await readLinkCells(db, { ...filter, linkIds: [linkId] }, wanted);
  const of = { ...rowsOf(filter, wanted.campaignIds), ...wanted, ...daysOf(wanted) };
  const rows = await cellsOf(db, 'count_quarters', of)
    .select(['scope', 'day', 'dimension', 'value', 'platform', QUARTER_HOURS])
    .execute();
  const cells: DayCell[] = [];
  await inPieces(rows, ({ scope, quarterHours, ...cell }) => {
    const campaign = scope === '' ? null : campaignOf(scope);
    cells.push({
      ...{ ...cell, campaignId: campaign, linkId: null },
      ...{ quarterHours: parseQuarterHours(quarterHours) },
    });
  });
  return cells;
}

/** Each a text of some kilobytes: a few milliseconds of the reader, and of the event loop, which takes the rows. */
const LINK_DAYS_AT_ONCE = 300;

export async function readLinkCells(
  db: Db,
  {
    appId,
    sandbox,
    linkIds,
    campaignId,
    platform,
  }: Omit<CellFilter, 'linkId' | 'only'> & { linkIds: readonly string[] },
  wanted: Wanted,
): Promise<DayCell[]> {
  const { fromDay, toDay } = daysOf(wanted);
  const found: DayCell[] = [];
  const linksAtOnce = Math.ceil((LINK_DAYS_AT_ONCE * DAY_MS) / (wanted.toMs - wanted.fromMs));
  for (const some of chunks(linkIds, linksAtOnce)) {
    const days = await db
      .selectFrom('link_days')
      .select(['link_id', 'day', 'campaign_id', 'cells'])
      .where('app_id', '=', appId)
      .where('link_id', 'in', some)
      .where('sandbox', '=', sandbox)
      .where('day', '>=', fromDay)
      .where('day', '<=', toDay)
      .$if(campaignId !== null, (query) => query.where('campaign_id', '=', campaignId ?? ''))
      .execute();
    await inPieces(days, ({ link_id: linkId, day, campaign_id, cells }) => {
      for (const cell of parseCells(cells)) {
        if (!wanted.dimensions.includes(cell.dimension)) continue;
        if (wanted.values?.includes(cell.value) === false) continue;
        if (wanted.network !== undefined && !isOfNetwork(cell.value, wanted.network)) continue;
        if (platform !== null && cell.platform !== platform) continue;
        found.push({ day, campaignId: campaign_id, linkId, ...cell });
      }
    });
  }
  return found;
}
