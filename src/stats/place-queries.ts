import { type SqlBool, sql } from 'kysely';
import type { Transaction } from '../db/index.ts';
import { chunks } from '../lib/chunks.ts';
import { addToCell, type Cells, parseQuarterHours } from './cells.ts';
import { OTHER } from './dimensions.ts';
import type { AppDay } from './fold-pending.ts';
import type { Places } from './places.ts';

/** Per dimension; more values of earlier days are no longer told from new ones. */
const MAX_KNOWN = 1_000;
const KNOWN_DAYS = 2;
const FEW_RECORDS = 3;
const SCOPES_PER_STATEMENT = 50;
const VALUES_PER_STATEMENT = 300;

const RECORDS = sql<number>`sum(clicks + other_clicks + installs + opens + events)`;

/** The values that have places on a day, with their records. */
export async function listPlaces(
  tx: Transaction,
  { appId, sandbox, day }: AppDay,
  dimensions: readonly string[],
): Promise<{ dimension: string; value: string; records: number }[]> {
  const rows = await tx
    .selectFrom('count_days')
    .select(['dimension', 'value', RECORDS.as('records')])
    .where('app_id', '=', appId)
    .where('sandbox', '=', sandbox)
    .where('scope', '=', '')
    .where('dimension', 'in', dimensions)
    .where('day', '=', day)
    .where('value', '<>', OTHER)
    .groupBy(['dimension', 'value'])
    .execute();
  return rows.map((row) => ({ ...row, records: Number(row.records) }));
}

/** Values of at least two days before, or with some records on one: made-up ones come once. Those with most records. */
export async function listKnownValues(
  tx: Transaction,
  { appId, sandbox, day }: AppDay,
  { dimension, firstDay }: { dimension: string; firstDay: string },
): Promise<string[]> {
  const rows = await tx
    .selectFrom('count_days')
    .select('value')
    .where('app_id', '=', appId)
    .where('sandbox', '=', sandbox)
    .where('scope', '=', '')
    .where('dimension', '=', dimension)
    .where('day', '>=', firstDay)
    .where('day', '<', day)
    .where('value', '<>', OTHER)
    .groupBy('value')
    .having(sql<SqlBool>`count(distinct day) >= ${KNOWN_DAYS} or ${RECORDS} > ${FEW_RECORDS}`)
    .orderBy(RECORDS, 'desc')
    .limit(MAX_KNOWN)
    .execute();
  return rows.map(({ value }) => value);
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
  for (const some of chunks([...scopes.keys()], SCOPES_PER_STATEMENT)) {
    const stored = await cellsOf(tx, of, { scopes: some, dimensions: full })
      .select(['scope', 'dimension', 'value'])
      .distinct()
      .execute();
    const lost = stored.filter(({ dimension, value }) => kept.get(dimension)?.has(value) === false);
    for (const part of chunks(lost, VALUES_PER_STATEMENT))
      for (const [dimension, cells] of Map.groupBy(part, (cell) => cell.dimension))
        await moveValues(tx, of, {
          ...{ scopes, dimension },
          values: cells.map(({ value }) => value),
          inScopes: [...new Set(cells.map(({ scope }) => scope))],
        });
  }
}

async function moveValues(
  tx: Transaction,
  of: AppDay,
  {
    scopes,
    dimension,
    values,
    inScopes,
  }: {
    scopes: ReadonlyMap<string, Cells>;
    dimension: string;
    values: readonly string[];
    inScopes: readonly string[];
  },
): Promise<void> {
  const rows = await cellsOf(tx, of, { scopes: inScopes, dimensions: [dimension] })
    .select(['scope', 'platform', 'quarters'])
    .where('value', 'in', values)
    .execute();
  for (const { scope, platform, quarters } of rows) {
    const other = scopes.get(scope)?.at({ dimension, value: OTHER, platform });
    if (other !== undefined) addToCell(other, parseQuarterHours(quarters));
  }
  for (const table of ['count_quarters', 'count_days'] as const)
    await tx
      .deleteFrom(table)
      .where('app_id', '=', of.appId)
      .where('sandbox', '=', of.sandbox)
      .where('scope', 'in', inScopes)
      .where('dimension', '=', dimension)
      .where('day', '=', of.day)
      .where('value', 'in', values)
      .execute();
}

function cellsOf(
  tx: Transaction,
  { appId, sandbox, day }: AppDay,
  { scopes, dimensions }: { scopes: readonly string[]; dimensions: readonly string[] },
) {
  return tx
    .selectFrom('count_quarters')
    .where('app_id', '=', appId)
    .where('sandbox', '=', sandbox)
    .where('scope', 'in', scopes)
    .where('dimension', 'in', dimensions)
    .where('day', '=', day)
    .where('value', '<>', OTHER);
}
