/** Adds cells to the stored ones of a day. */
import { type Insertable, sql } from 'kysely';
import { type CountDaysTable, isAmong, type Transaction } from '../db/index.ts';
import { chunks } from '../lib/chunks.ts';
import { entryAt } from '../lib/entry-at.ts';
import { addCounts, addUp, type Counts, noCounts, toColumns } from './add-counts.ts';
import { cellsOf, QUARTER_HOURS } from './cell-queries.ts';
import {
  addToCell,
  type Cell,
  type CellKey,
  Cells,
  parseCells,
  parseQuarterHours,
  storeCell,
  storeCells,
} from './cells.ts';
import { INTEGERS, STORED } from './counts.ts';
import { toValue } from './dimensions.ts';
import type { AppDay } from './fold-pending.ts';

const ROWS_PER_STATEMENT = 300;

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
    await addStored(tx, of, part);
    await putCells(tx, of, part);
  }
}

async function addStored(
  tx: Transaction,
  { day, ...of }: AppDay,
  cells: readonly ScopedCell[],
): Promise<void> {
  const nameOf = (...key: string[]) => key.join('\n');
  const byName = new Map(
    cells.map(({ scope, cell }) => [nameOf(scope, cell.dimension, cell.platform, cell.value), cell]),
  );
  const distinct = (of: (cell: ScopedCell) => string) => [...new Set(cells.map(of))];
  const stored = await cellsOf(tx, 'count_quarters', {
    ...{ ...of, fromDay: day, toDay: day, scopes: distinct(({ scope }) => scope) },
    dimensions: distinct(({ cell }) => cell.dimension),
    values: distinct(({ cell }) => cell.value),
  })
    .select(['scope', 'dimension', 'value', 'platform', QUARTER_HOURS])
    .execute();
  for (const { scope, dimension, value, platform, quarterHours } of stored) {
    const cell = byName.get(nameOf(scope, dimension, platform, value));
    if (cell !== undefined) addToCell(cell, parseQuarterHours(quarterHours));
  }
}

/** Writes cells, quarter hours and sums. */
async function putCells(
  tx: Transaction,
  { appId, sandbox, day }: AppDay,
  cells: readonly ScopedCell[],
): Promise<void> {
  const key = ({ scope, cell }: ScopedCell) => ({
    ...{ app_id: appId, sandbox, scope, dimension: cell.dimension, day },
    ...{ value: cell.value, platform: cell.platform },
  });
  await tx
    .insertInto('count_quarters')
    .values(cells.map((each) => ({ ...key(each), quarters: JSON.stringify(storeCell(each.cell)) })))
    .onConflict((conflict) =>
      conflict.columns([...CELL_KEY]).doUpdateSet({ quarters: sql`excluded.quarters` }),
    )
    .execute();
  const replaced = STORED.map(({ column }) => [column, sql.raw(`excluded.${column}`)]);
  await tx
    .insertInto('count_days')
    .values(cells.map((each) => ({ ...key(each), ...toRow(addUp(each.cell.quarterHours.values())) })))
    .onConflict((conflict) => conflict.columns([...CELL_KEY]).doUpdateSet(Object.fromEntries(replaced)))
    .execute();
}

const CELL_KEY = ['app_id', 'sandbox', 'scope', 'dimension', 'day', 'value', 'platform'] as const;

function toRow(counts: Counts) {
  return toColumns(counts) as Omit<Insertable<CountDaysTable>, (typeof CELL_KEY)[number]>;
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
  for (const { quarterHours, ...key } of stored === undefined ? [] : parseCells(stored))
    addToCell(merged.at({ ...key, value: placeOf(key) }), quarterHours);
  merged.merge(cells);
  return storeCells(merged);
}

/** The `day` of the sum of all days, which `count_days` keeps for links, without money. */
export const ALL_DAYS = '';

/** Adds to the sums of links over all days. */
export async function addLinksOfAllDays(
  tx: Transaction,
  { appId, sandbox }: AppDay,
  links: Iterable<LinkCells>,
): Promise<void> {
  const sums = new Map<string, Counts>();
  for (const { linkId, cells } of links)
    for (const cell of cells.all)
      if (cell.dimension === '')
        addCounts(entryAt(sums, linkId, noCounts), addUp(cell.quarterHours.values()));
  const rows = [...sums].map(([linkId, { integers }]) => ({
    ...{ app_id: appId, sandbox, scope: '', dimension: 'link', day: ALL_DAYS, value: toValue(linkId) },
    ...{ platform: '', ...toRow({ integers, money: [] }) },
  }));
  const added = INTEGERS.map(({ column }) => [column, sql.raw(`count_days.${column} + excluded.${column}`)]);
  for (const part of chunks(rows, ROWS_PER_STATEMENT))
    await tx
      .insertInto('count_days')
      .values(part)
      .onConflict((conflict) => conflict.columns([...CELL_KEY]).doUpdateSet(Object.fromEntries(added)))
      .execute();
}
