import { type SqlBool, sql } from 'kysely';
import { lockUntilCommit, type Transaction } from '../db/index.ts';
import { chunks } from '../lib/chunks.ts';
import { entryAt } from '../lib/entry-at.ts';
import { type CellRows, cellsOf, countsLock, QUARTER_HOURS } from './cell-queries.ts';
import { addToCell, Cells, parseQuarterHours } from './cells.ts';
import { COUNTS, RECORDS } from './counts.ts';
import { OTHER, toValue } from './dimensions.ts';
import type { AppDay } from './fold-pending.ts';
import type { Places } from './places.ts';
import { mergeIntoScopes } from './store-cells.ts';

const SCOPES_PER_STATEMENT = 50;
const VALUES_PER_STATEMENT = 300;

const COLUMNS = RECORDS.map((name) => sql.ref(COUNTS[name].column));
const SUM_OF_RECORDS = sql<number>`cast(sum(${sql.join(COLUMNS, sql` + `)}) as bigint)`;

/** The values that have places on a day, with their records. */
export async function listPlaces(
  tx: Transaction,
  { day, ...of }: AppDay,
  dimensions: readonly string[],
): Promise<{ dimension: string; value: string; records: number }[]> {
  const rows = await cellsOf(tx, 'count_days', { ...of, scopes: [''], dimensions, fromDay: day, toDay: day })
    .select(['dimension', 'value', SUM_OF_RECORDS.as('records')])
    .where('value', '<>', OTHER)
    .groupBy(['dimension', 'value'])
    .execute();
  return rows.map((row) => ({ ...row, records: Number(row.records) }));
}

/** A value that had a place on earlier days. */
export interface KnownValue {
  readonly value: string;
  readonly firstDay: string;
  readonly records: number;
}

/** At most `MAX_VALUES` for each day. */
export async function listKnownValues(
  tx: Transaction,
  { day, ...of }: AppDay,
  { dimension, firstDay }: { dimension: string; firstDay: string },
): Promise<KnownValue[]> {
  const days = { fromDay: firstDay, toDay: day };
  const rows = await cellsOf(tx, 'count_days', { ...of, scopes: [''], dimensions: [dimension], ...days })
    .select(({ fn }) => ['value', fn.min('day').as('firstDay'), SUM_OF_RECORDS.as('records')])
    .where('day', '<', day)
    .where('value', '<>', OTHER)
    .groupBy('value')
    .having(SUM_OF_RECORDS, '>', 0)
    .execute();
  return rows.map((row) => ({ ...row, records: Number(row.records) }));
}

/**
 * Removes the stored cells of values without a place from these scopes of a day, and adds their counts to the cells of
 * `OTHER` in `scopes`.
 */
export async function moveToOther(
  tx: Transaction,
  of: AppDay,
  { scopes, places: { full, kept } }: { scopes: ReadonlyMap<string, Cells>; places: Places },
): Promise<void> {
  const days = { fromDay: of.day, toDay: of.day };
  for (const some of chunks([...scopes.keys()], SCOPES_PER_STATEMENT)) {
    const stored = await cellsOf(tx, 'count_quarters', { ...of, ...days, scopes: some, dimensions: full })
      .select(['scope', 'dimension', 'value'])
      .where('value', '<>', OTHER)
      .distinct()
      .execute();
    const lost = stored.filter(({ dimension, value }) => kept.get(dimension)?.has(value) === false);
    for (const part of chunks(lost, VALUES_PER_STATEMENT))
      for (const [dimension, cells] of Map.groupBy(part, (cell) => cell.dimension))
        await moveValues(tx, scopes, {
          ...{ ...of, ...days, dimensions: [dimension], values: cells.map(({ value }) => value) },
          scopes: [...new Set(cells.map(({ scope }) => scope))],
        });
  }
}

/**
 * Moves the cells of inviters to `OTHER`, on all days. Folds wait until the transaction ends, so that none adds to them.
 * @param installIds at most some dozens.
 */
export async function forgetInviterCells(
  tx: Transaction,
  appId: string,
  installIds: readonly string[],
): Promise<void> {
  await lockUntilCommit(tx, countsLock(appId));
  const values = installIds.map(toValue);
  const stored = await tx
    .selectFrom('count_quarters')
    .select(['sandbox', 'scope', 'day', 'platform', QUARTER_HOURS])
    .where('app_id', '=', appId)
    .where(IS_INVITER)
    .where('value', 'in', values)
    .execute();
  for (const table of ['count_quarters', 'count_days'] as const)
    await tx
      .deleteFrom(table)
      .where('app_id', '=', appId)
      .where(IS_INVITER)
      .where('value', 'in', values)
      .execute();
  for (const ofDay of Map.groupBy(stored, ({ sandbox, day }) => `${sandbox} ${day}`).values()) {
    const [first] = ofDay;
    if (first === undefined) continue;
    const scopes = new Map<string, Cells>();
    for (const { scope, platform, quarterHours } of ofDay) {
      const cells = entryAt(scopes, scope, () => new Cells());
      addToCell(cells.at({ dimension: 'inviter', value: OTHER, platform }), parseQuarterHours(quarterHours));
    }
    await mergeIntoScopes(tx, { appId, sandbox: first.sandbox, day: first.day }, scopes);
  }
}

/** A literal, since planners match partial indexes against literals only. */
const IS_INVITER = sql<SqlBool>`dimension = 'inviter'`;

async function moveValues(
  tx: Transaction,
  to: ReadonlyMap<string, Cells>,
  of: CellRows & { readonly values: readonly string[] },
): Promise<void> {
  const rows = await cellsOf(tx, 'count_quarters', of)
    .select(['scope', 'dimension', 'platform', QUARTER_HOURS])
    .execute();
  for (const { scope, dimension, platform, quarterHours } of rows) {
    const other = to.get(scope)?.at({ dimension, value: OTHER, platform });
    if (other !== undefined) addToCell(other, parseQuarterHours(quarterHours));
  }
  for (const table of ['count_quarters', 'count_days'] as const)
    await tx
      .deleteFrom(table)
      .where('app_id', '=', of.appId)
      .where('sandbox', '=', of.sandbox)
      .where('scope', 'in', of.scopes)
      .where('dimension', 'in', of.dimensions)
      .where('day', '=', of.fromDay)
      .where('value', 'in', of.values)
      .execute();
}
