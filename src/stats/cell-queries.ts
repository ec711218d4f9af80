import { sql } from 'kysely';
import type { Db, Flag } from '../db/index.ts';
import { listDays } from '../server/days.ts';
import { toNetworkCampaign, toValue } from './dimensions.ts';

/** Cells of an app have the empty scope, those of a campaign this prefix and its ID. */
const CAMPAIGN_SCOPE = 'campaign=';

export function scopeOf(campaignId: string): string {
  return campaignId === '' ? '' : CAMPAIGN_SCOPE + campaignId;
}

/** Empty for an app. */
export function campaignOf(scope: string): string {
  return scope.slice(CAMPAIGN_SCOPE.length);
}

/** Of an app: who adds to its cells holds it. */
export function countsLock(appId: string): string {
  return `counts of ${appId}`;
}

export interface CellRows {
  readonly appId: string;
  readonly sandbox: Flag;
  readonly scopes: readonly string[];
  readonly dimensions: readonly string[];
  /** Both included. */
  readonly fromDay: string;
  readonly toDay: string;
  /** Of these, only some; all if null. */
  readonly days?: readonly string[] | null;
  /** All if undefined. */
  readonly values?: readonly string[] | undefined;
  /** Of this network and its campaigns. All if undefined. */
  readonly network?: string | undefined;
  /** All if null. */
  readonly platform?: string | null;
}

export function cellsOf(
  db: Db,
  table: 'count_days' | 'count_quarters',
  { appId, sandbox, scopes, dimensions, fromDay, toDay, days = null, values, ...some }: CellRows,
) {
  const { network, platform = null } = some;
  const query = db
    // The tables have the same key.
    .selectFrom(table as 'count_days')
    .where('app_id', '=', appId)
    .where('sandbox', '=', sandbox)
    .where('scope', 'in', scopes)
    .where('dimension', 'in', dimensions)
    .$if(platform !== null, (each) => each.where('platform', '=', platform ?? ''))
    .$if(network !== undefined, (each) => each.where(isValueOfNetwork(network ?? '')));
  if (values === undefined && days === null)
    return query.where('day', '>=', fromDay).where('day', '<=', toDay);
  // By each day and value in the primary key, in place of all values of the days.
  return query
    .where('day', 'in', days ?? listDays({ fromDay, toDay }))
    .$if(values !== undefined, (each) => each.where('value', 'in', values ?? []));
}

/** As `isOfNetwork`. */
function isValueOfNetwork(network: string) {
  const beginning = toValue(toNetworkCampaign(network, ''));
  return sql<boolean>`substr(value || ' ', 1, ${sql.lit(beginning.length)}) = ${beginning}`;
}

/** The column of `count_quarters`. */
export const QUARTER_HOURS = sql<string>`quarters`.as('quarterHours');
