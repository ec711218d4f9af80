import { type Insertable, sql } from 'kysely';
import { type CountDaysTable, type Db, isAmong, type Transaction } from '../db/index.ts';
import { chunks } from '../lib/chunks.ts';
import { addQuarters, type Cell, type CellKey, Cells, decodeCells, encodeCells } from './cells.ts';
import { toValue } from './dimensions.ts';
import { decodeFacts, type Fact } from './pending.ts';
import type { AppDay } from './fold-pending.ts';
import { addNumbers, type EncodedQuarter, encodeQuarters, type Numbers, noNumbers } from './counts.ts';
import { NO_SUMS, toRecord } from './revenue.ts';

const ROWS_PER_STATEMENT = 300;

export async function hasPending(db: Db, appId: string): Promise<boolean> {
  const query = db.selectFrom('pending_counts').select('id').where('app_id', '=', appId).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/**
 * Deletes up to `rows` rows of pending counts, and no more than `bytes` of them but for the first.
 * @returns their facts by row, their bytes, and whether others were left.
 */
export async function takePending(
  tx: Transaction,
  appId: string,
  max: { rows: number; bytes: number },
): Promise<{ facts: Fact[][]; bytes: number; hasMore: boolean }> {
  const pending = await tx
    .selectFrom('pending_counts')
    .select(['id', sql<number>`octet_length(facts)`.as('bytes')])
    .where('app_id', '=', appId)
    .limit(max.rows)
    .execute();
  let bytes = 0;
  const ids: string[] = [];
  for (const row of pending) {
    if (ids.length > 0 && bytes + Number(row.bytes) > max.bytes) break;
    bytes += Number(row.bytes);
    ids.push(row.id);
  }
  if (ids.length === 0) return { facts: [], bytes, hasMore: false };
  const rows = await tx
    .deleteFrom('pending_counts')
    .where('app_id', '=', appId)
    .where('id', 'in', ids)
    .returning('facts')
    .execute();
  const hasMore = ids.length < pending.length || pending.length === max.rows;
  return { facts: rows.map(({ facts }) => decodeFacts(facts)), bytes, hasMore };
}

/** A cell of an app, with an empty scope, or of a campaign. */
interface ScopedCell {
  readonly scope: string;
  readonly cell: Cell;
}

/** Adds cells to those of an app's day, by scope. */
export async function mergeIntoScopes(
  tx: Transaction,
  of: AppDay,
  scopes: ReadonlyMap<string, Cells>,
): Promise<void> {
  const cells = [...scopes].flatMap(([scope, { all }]) => [...all].map((cell) => ({ scope, cell })));
  for (const part of chunks(cells, ROWS_PER_STATEMENT)) {
    await addStoredQuarters(tx, of, part);
    await putCells(tx, of, part);
  }
}

async function addStoredQuarters(
  tx: Transaction,
  { appId, sandbox, day }: AppDay,
  cells: readonly ScopedCell[],
): Promise<void> {
  const nameOf = (...key: string[]) => key.join('\n');
  const byName = new Map(
    cells.map(({ scope, cell }) => [nameOf(scope, cell.dimension, cell.platform, cell.value), cell]),
  );
  const distinct = (of: (cell: ScopedCell) => string) => [...new Set(cells.map(of))];
  const stored = await tx
    .selectFrom('count_quarters')
    .select(['scope', 'dimension', 'value', 'platform', 'quarters'])
    .where('app_id', '=', appId)
    .where('sandbox', '=', sandbox)
    .where(
      'scope',
      'in',
      distinct(({ scope }) => scope),
    )
    .where(
      'dimension',
      'in',
      distinct(({ cell }) => cell.dimension),
    )
    .where('day', '=', day)
    .where(
      'value',
      'in',
      distinct(({ cell }) => cell.value),
    )
    .execute();
  for (const { scope, dimension, value, platform, quarters } of stored) {
    const cell = byName.get(nameOf(scope, dimension, platform, value));
    if (cell !== undefined) addQuarters(cell, JSON.parse(quarters) as EncodedQuarter[]);
  }
}

/** Writes cells with all their quarters. */
async function putCells(
  tx: Transaction,
  { appId, sandbox, day }: AppDay,
  cells: readonly ScopedCell[],
): Promise<void> {
  const key = ({ scope, cell }: ScopedCell) => ({
    ...{ app_id: appId, sandbox, scope, dimension: cell.dimension, day },
    ...{ value: cell.value, platform: cell.platform },
  });
  const quarters = cells.map((each) => ({
    ...key(each),
    quarters: JSON.stringify(encodeQuarters(each.cell.quarters)),
  }));
  await tx
    .insertInto('count_quarters')
    .values(quarters)
    .onConflict((conflict) =>
      conflict.columns([...CELL_KEY]).doUpdateSet({ quarters: sql`excluded.quarters` }),
    )
    .execute();
  await tx
    .insertInto('count_days')
    .values(cells.map((each) => ({ ...key(each), ...toColumns(sumOf(each.cell)) })))
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
  'existing_users',
] as const satisfies readonly (keyof CountDaysTable)[];
const SUM_COLUMNS = [...COUNT_COLUMNS, 'revenue', 'credited_revenue'] as const;

type SumColumns = Pick<Insertable<CountDaysTable>, (typeof SUM_COLUMNS)[number]>;

function toColumns({ counts, revenue, creditedRevenue }: Numbers): SumColumns {
  const [clicks = 0, other_clicks = 0, installs = 0, attributed_installs = 0, ...rest] = counts;
  const [opens = 0, direct_opens = 0, events = 0, credited_events = 0, tool_clicks = 0, existing_users = 0] =
    rest;
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
      existing_users,
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

export interface LinkCells {
  readonly linkId: string;
  readonly campaignId: string;
  readonly cells: Cells;
}

/** The cells of a link are many in one row: it bounds the bytes of a statement. */
const LINKS_PER_STATEMENT = 50;

/** Adds cells to those of a day of links. @param placeOf the value under which a stored cell is kept. */
export async function mergeIntoLinkDays(
  tx: Transaction,
  { appId, sandbox, day }: AppDay,
  { links, placeOf }: { links: readonly LinkCells[]; placeOf: PlaceOf },
): Promise<void> {
  for (const part of chunks(links, LINKS_PER_STATEMENT)) {
    const stored = await tx
      .selectFrom('link_days')
      .select(['link_id', 'campaign_id', 'cells'])
      .where('app_id', '=', appId)
      .where(isAmong(tx, 'link_id', [...new Set(part.map(({ linkId }) => linkId))]))
      .where('sandbox', '=', sandbox)
      .where('day', '=', day)
      .execute();
    const before = new Map(stored.map((row) => [`${row.link_id} ${row.campaign_id}`, row.cells]));
    await tx
      .insertInto('link_days')
      .values(
        part.map(({ linkId, campaignId, cells }) => ({
          ...{ app_id: appId, link_id: linkId, sandbox, day, campaign_id: campaignId },
          cells: mergedText(cells, before.get(`${linkId} ${campaignId}`), placeOf),
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['app_id', 'link_id', 'sandbox', 'day', 'campaign_id'])
          .doUpdateSet({ cells: sql`excluded.cells` }),
      )
      .execute();
  }
}

type PlaceOf = (cell: CellKey) => string;

function mergedText(cells: Cells, stored: string | undefined, placeOf: PlaceOf): string {
  const merged = new Cells();
  if (stored !== undefined) decodeCells(merged, stored, placeOf);
  merged.merge(cells);
  return encodeCells(merged);
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
    for (const cell of cells.all) {
      if (cell.dimension !== '') continue;
      const sum = sums.get(linkId) ?? noNumbers();
      addNumbers(sum, sumOf(cell));
      sums.set(linkId, sum);
    }
  const rows = [...sums].map(([linkId, sum]) => ({
    ...{ app_id: appId, sandbox, scope: '', dimension: 'link', day: ALL_DAYS, value: toValue(linkId) ?? '' },
    ...{ platform: '', ...toColumns({ ...sum, revenue: NO_SUMS, creditedRevenue: NO_SUMS }) },
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
