import { type Insertable, sql } from 'kysely';
import type { CountDaysTable, Db, Transaction } from '../db/index.ts';
import { chunks } from '../lib/chunks.ts';
import { addQuarters, type Cell, Cells, decodeCells, encodeCells } from './cells.ts';
import { type Fact, OTHER, toValue } from './dimensions.ts';
import type { AppDay } from './fold-pending.ts';
import { addNumbers, type EncodedQuarter, encodeQuarters, type Numbers, noNumbers } from './metrics.ts';
import { toRecord } from './revenue.ts';

const ROWS_PER_STATEMENT = 300;

export async function listAppsToFold(db: Db): Promise<string[]> {
  const apps = await db.selectFrom('pending_counts').select('app_id').distinct().execute();
  return apps.map(({ app_id }) => app_id);
}

/** Bounds the memory of a fold; the next one takes the rest. */
const MAX_FACTS = 20_000;

/** Deletes and returns pending counts. */
export async function takePending(tx: Transaction, appId: string): Promise<Fact[]> {
  const some = tx.selectFrom('pending_counts').select('id').where('app_id', '=', appId).limit(MAX_FACTS);
  return await tx
    .deleteFrom('pending_counts')
    .where('app_id', '=', appId)
    .where('id', 'in', some)
    .returningAll()
    .execute();
}

/** The values that a day keeps of bounded dimensions. */
export async function listKeptValues(
  tx: Transaction,
  { appId, sandbox, day }: AppDay,
  dimensions: readonly string[],
): Promise<{ dimension: string; value: string }[]> {
  return await tx
    .selectFrom('count_days')
    .select(['dimension', 'value'])
    .distinct()
    .where('app_id', '=', appId)
    .where('sandbox', '=', sandbox)
    .where('scope', '=', '')
    .where('dimension', 'in', dimensions)
    .where('day', '=', day)
    .where('value', '<>', OTHER)
    .execute();
}

/** Adds cells to those of an app's or campaign's day. */
export async function mergeIntoScopeDay(tx: Transaction, of: ScopeDay, cells: Cells): Promise<void> {
  for (const [dimension, some] of Map.groupBy(cells.all(), (cell) => cell.dimension))
    for (const part of chunks(some, ROWS_PER_STATEMENT)) {
      await addStoredQuarters(tx, of, dimension, part);
      await putCells(tx, of, part);
    }
}

type ScopeDay = AppDay & { readonly scope: string };

async function addStoredQuarters(
  tx: Transaction,
  { appId, sandbox, day, scope }: ScopeDay,
  dimension: string,
  cells: readonly Cell[],
): Promise<void> {
  const byKey = new Map(cells.map((cell) => [`${cell.platform} ${cell.value}`, cell]));
  const stored = await tx
    .selectFrom('count_quarters')
    .select(['value', 'platform', 'quarters'])
    .where('app_id', '=', appId)
    .where('sandbox', '=', sandbox)
    .where('scope', '=', scope)
    .where('dimension', '=', dimension)
    .where('day', '=', day)
    .where('value', 'in', [...new Set(cells.map(({ value }) => value))])
    .execute();
  for (const { value, platform, quarters } of stored) {
    const cell = byKey.get(`${platform} ${value}`);
    if (cell !== undefined) addQuarters(cell, JSON.parse(quarters) as EncodedQuarter[]);
  }
}

/** Writes cells with all their quarters. */
async function putCells(
  tx: Transaction,
  { appId, sandbox, day, scope }: ScopeDay,
  cells: readonly Cell[],
): Promise<void> {
  const key = (cell: Cell) => ({
    ...{ app_id: appId, sandbox, scope, dimension: cell.dimension, day },
    ...{ value: cell.value, platform: cell.platform },
  });
  await tx
    .insertInto('count_quarters')
    .values(cells.map((cell) => ({ ...key(cell), quarters: JSON.stringify(encodeQuarters(cell.quarters)) })))
    .onConflict((conflict) =>
      conflict.columns([...CELL_KEY]).doUpdateSet({ quarters: sql`excluded.quarters` }),
    )
    .execute();
  const rows = cells.map((cell) => ({ ...key(cell), ...toColumns(sumOf(cell)) }));
  await tx
    .insertInto('count_days')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns([...CELL_KEY])
        .doUpdateSet(
          Object.fromEntries(SUM_COLUMNS.map((column) => [column, sql.raw(`excluded.${column}`)])),
        ),
    )
    .execute();
}

const CELL_KEY = ['app_id', 'sandbox', 'scope', 'dimension', 'day', 'value', 'platform'] as const;

/** The columns of `COUNTS`, in their order. */
export const COUNT_COLUMNS = [
  'clicks',
  'other_clicks',
  'installs',
  'attributed_installs',
  'opens',
  'direct_opens',
  'events',
  'credited_events',
  'tool_clicks',
] as const satisfies readonly (keyof CountDaysTable)[];
const SUM_COLUMNS = [...COUNT_COLUMNS, 'revenue', 'credited_revenue'] as const;

type SumColumns = Pick<Insertable<CountDaysTable>, (typeof SUM_COLUMNS)[number]>;

function toColumns({ counts, revenue, creditedRevenue }: Numbers): SumColumns {
  const [clicks = 0, other_clicks = 0, installs = 0, attributed_installs = 0, ...rest] = counts;
  const [opens = 0, direct_opens = 0, events = 0, credited_events = 0, tool_clicks = 0] = rest;
  return {
    ...{
      clicks,
      other_clicks,
      installs,
      attributed_installs,
      opens,
      direct_opens,
      events,
      credited_events,
      tool_clicks,
    },
    revenue: revenue.size === 0 ? null : JSON.stringify(toRecord(revenue)),
    credited_revenue: creditedRevenue.size === 0 ? null : JSON.stringify(toRecord(creditedRevenue)),
  };
}

function sumOf({ quarters }: Cell): Numbers {
  const sum = noNumbers();
  for (const numbers of quarters.values()) addNumbers(sum, numbers);
  return sum;
}

interface LinkCells {
  readonly linkId: string;
  readonly campaignId: string;
  readonly cells: Cells;
}

/** Adds cells to those of a link's day. */
export async function mergeIntoLinkDay(
  tx: Transaction,
  { appId, sandbox, day, linkId, campaignId }: AppDay & Omit<LinkCells, 'cells'>,
  cells: Cells,
): Promise<void> {
  const stored = await tx
    .selectFrom('link_days')
    .select('cells')
    .where('app_id', '=', appId)
    .where('link_id', '=', linkId)
    .where('sandbox', '=', sandbox)
    .where('day', '=', day)
    .where('campaign_id', '=', campaignId)
    .executeTakeFirst();
  const merged = new Cells();
  if (stored !== undefined) decodeCells(merged, stored.cells);
  for (const { quarters, ...key } of cells.all())
    for (const [quarter, numbers] of quarters) merged.add(key, quarter, numbers);
  await tx
    .insertInto('link_days')
    .values({
      app_id: appId,
      link_id: linkId,
      sandbox,
      day,
      campaign_id: campaignId,
      cells: encodeCells(merged),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['app_id', 'link_id', 'sandbox', 'day', 'campaign_id'])
        .doUpdateSet({ cells: sql`excluded.cells` }),
    )
    .execute();
}

/** The `day` of the sum of all days, which `count_days` keeps for links. */
export const ALL_DAYS = '';

/** Adds to the sums of links over all days. */
export async function addLinkTotals(
  tx: Transaction,
  { appId, sandbox }: AppDay,
  links: Iterable<LinkCells>,
): Promise<void> {
  const sums = new Map<string, Numbers>();
  for (const { linkId, cells } of links)
    for (const cell of cells.all()) {
      if (cell.dimension !== '') continue;
      const sum = sums.get(linkId) ?? noNumbers();
      addNumbers(sum, sumOf(cell));
      sums.set(linkId, sum);
    }
  const rows = [...sums].map(([linkId, sum]) => ({
    ...{ app_id: appId, sandbox, scope: '', dimension: 'link', day: ALL_DAYS, value: toValue(linkId) ?? '' },
    ...{ platform: '', ...toColumns({ ...sum, revenue: new Map(), creditedRevenue: new Map() }) },
  }));
  for (const part of chunks(rows, ROWS_PER_STATEMENT))
    await tx
      .insertInto('count_days')
      .values(part)
      .onConflict((conflict) =>
        conflict
          .columns([...CELL_KEY])
          .doUpdateSet(
            Object.fromEntries(
              COUNT_COLUMNS.map((column) => [column, sql.raw(`count_days.${column} + excluded.${column}`)]),
            ),
          ),
      )
      .execute();
}
