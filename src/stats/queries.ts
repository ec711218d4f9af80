import { sql } from 'kysely';
import { type DailyUsageTable, type Db, type Flag, isAmong } from '../db/index.ts';
import { dayOf, isoTime } from '../lib/clock.ts';
import { cellsOf } from './cell-queries.ts';
import { fromValue, toValue } from './dimensions.ts';
import { ALL_DAYS } from './store-cells.ts';

/** A link's clicks by humans and by tools, and its installs. */
export interface LinkCounts {
  readonly clicks: number;
  readonly toolClicks: number;
  readonly installs: number;
}

/** The live or sandbox counts of an app's links over a range of UTC days, by link. */
export async function sumLinkCounts(
  db: Db,
  appId: string,
  where: { sandbox: Flag; fromDay: string; toDay: string },
): Promise<ReadonlyMap<string, LinkCounts>> {
  const sum = (column: string) => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`;
  const rows = await cellsOf(db, 'count_days', { appId, ...where, scopes: [''], dimensions: ['link'] })
    .select('value')
    .select([sum('clicks').as('clicks'), sum('tool_clicks').as('toolClicks'), sum('installs').as('installs')])
    .groupBy('value')
    .execute();
  return new Map(rows.map(({ value, ...counts }) => [fromValue(value), counts]));
}

/** The live or sandbox counts of links on all days, by ID, as each link is; none for a link without records. */
export async function countLinks(
  db: Db,
  appId: string,
  links: readonly { readonly id: string; readonly sandbox: Flag }[],
): Promise<ReadonlyMap<string, Pick<LinkCounts, 'clicks' | 'installs'>>> {
  if (links.length === 0) return new Map();
  const values = new Map(links.map(({ id, sandbox }) => [toValue(id), sandbox]));
  const rows = await db
    .selectFrom('count_days')
    .select(['value', 'sandbox', 'clicks', 'installs'])
    .where('app_id', '=', appId)
    .where('sandbox', 'in', [0, 1])
    .where('scope', '=', '')
    .where('dimension', '=', 'link')
    .where('day', '=', ALL_DAYS)
    .where('value', 'in', [...values.keys()])
    .execute();
  return new Map(
    rows
      .filter(({ value, sandbox }) => values.get(value) === sandbox)
      .map(({ value, clicks, installs }) => [fromValue(value), { clicks, installs }]),
  );
}

/** The count of a row of `links` as in `countLinks`, for statements of one app. */
export function countOfLink(name: 'clicks' | 'installs') {
  return sql<number>`coalesce((
    select ${sql.ref(`count_days.${name}`)} from count_days
    where count_days.app_id = links.app_id and count_days.sandbox = links.sandbox and count_days.scope = ''
      and count_days.dimension = 'link' and count_days.day = ${ALL_DAYS}
      and count_days.value = cast(${toValue('')} as text) || links.id and count_days.platform = ''
  ), 0)`;
}

/** @param rows with distinct keys. @returns the new totals. */
export async function addUsage(db: Db, rows: readonly DailyUsageTable[]): Promise<DailyUsageTable[]> {
  return await db
    .insertInto('daily_usage')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['app_id', 'day', 'kind', 'subject']).doUpdateSet({
        records: sql`daily_usage.records + excluded.records`,
        bytes: sql`daily_usage.bytes + excluded.bytes`,
      }),
    )
    .returningAll()
    .execute();
}

/** Deletes up to `limit` of an app's oldest rows before the day of a time. @returns the number of deleted rows; 0 if none is left. */
export async function deleteOldUsage(
  db: Db,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const oldest = await db
    .selectFrom('daily_usage')
    .select(['day', 'kind'])
    .where('app_id', '=', appId)
    .where('day', '<', dayOf(isoTime(beforeMs)))
    .orderBy('day')
    .orderBy('kind')
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return 0;
  const { day, kind } = oldest;
  const old = db
    .selectFrom('daily_usage')
    .select('subject')
    .where('app_id', '=', appId)
    .where('day', '=', day)
    .where('kind', '=', kind)
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('daily_usage')
    .where('app_id', '=', appId)
    .where('day', '=', day)
    .where('kind', '=', kind)
    .where(isAmong(db, 'subject', old))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
