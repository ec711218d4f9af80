/** The costs of a period, added up as statistics answer them. */
import type { Db } from '../../db/index.ts';
import { DAY_MS, dayOf, isoTime } from '../../lib/clock.ts';
import { entryAt } from '../../lib/entry-at.ts';
import { type Dimension, toNetworkCampaign } from '../dimensions.ts';
import { intervalAt, localTime, type Period } from '../periods.ts';
import type { CellFilter } from '../read-cells.ts';
import { addAmount, type Money, toTenThousandths } from '../revenue.ts';
import { type CostFilter, sumCostsBy } from './queries.ts';

export interface Spend {
  readonly total: Money;
  /** Null for hours: a cost has a day alone. Undefined for an interval without a whole day. */
  readonly byInterval: readonly (Money | undefined)[] | null;
}

/**
 * A cost counts for its day, whatever the time zone.
 * @param startsMs of intervals; none without a series.
 * @returns null where costs are not known: of a link, a platform, or anything else that a cost does not name.
 */
export async function readSpend(
  db: Db,
  filter: CellFilter,
  period: Period,
  startsMs: readonly number[],
): Promise<Spend | null> {
  const of = costsOf(filter, period);
  if (of === null) return null;
  const days = period.interval === 'hour' ? [] : startsMs.map((ms) => dayAt(period, ms));
  const daysMs = days.map((day) => Date.parse(day));
  const total = new Map<string, bigint>();
  const byInterval = days.map((day) => (day > of.toDay ? undefined : new Map<string, bigint>()));
  for (const { currency, amounts, ...row } of await sumCostsBy(db, of, days.length > 0 ? ['day'] : [])) {
    const amount = addUpAmounts(amounts);
    addAmount(total, currency, amount);
    const ofInterval = 'day' in row ? byInterval[intervalAt(daysMs, Date.parse(row.day))] : undefined;
    if (ofInterval !== undefined) addAmount(ofInterval, currency, amount);
  }
  return { total, byInterval: days.length > 0 ? byInterval : null };
}

/** The dimensions that costs name: each cost has a campaign of links, or one of a network. */
const SPEND_DIMENSIONS = ['campaign', 'network', 'networkCampaign'] as const satisfies readonly Dimension[];
export type SpendDimension = (typeof SPEND_DIMENSIONS)[number];

export function isSpendDimension(name: string): name is SpendDimension {
  return SPEND_DIMENSIONS.some((each) => each === name);
}

/** Whether groups of a dimension have all costs of their values: none names a campaign of links and a network. */
export function hasCosts(dimension: SpendDimension, { campaignId, only }: CellFilter): boolean {
  return dimension === 'campaign' ? only === null : campaignId === null;
}

/** By dimension and key; none of the costs that have no value of it. @returns null as `readSpend`. */
export async function readSpendByKey(
  db: Db,
  filter: CellFilter,
  period: Period,
): Promise<Readonly<Record<SpendDimension, ReadonlyMap<string, Money>>> | null> {
  const of = costsOf(filter, period);
  if (of === null) return null;
  const newMap = () => new Map<string, Map<string, bigint>>();
  const byKey = { campaign: newMap(), network: newMap(), networkCampaign: newMap() };
  const rows = await sumCostsBy(db, of, ['network', 'campaign_id']);
  for (const { network, campaign_id, currency, amounts } of rows) {
    const add = (dimension: SpendDimension, key: string) =>
      addAmount(
        entryAt(byKey[dimension], key, () => new Map()),
        currency,
        addUpAmounts(amounts),
      );
    if (network === '') add('campaign', campaign_id);
    else {
      add('network', network);
      add('networkCampaign', toNetworkCampaign(network, campaign_id));
    }
  }
  return byKey;
}

function costsOf(
  { appId, sandbox, campaignId, only, ...others }: CellFilter,
  period: Period,
): CostFilter | null {
  if (Object.values(others).some((value) => value !== null)) return null;
  // No cost names a campaign of links and one of a network.
  if (only !== null && (only.costs === undefined || campaignId !== null)) return null;
  const [fromDay, toDay] = [period.from, lastDayOf(period)];
  if (toDay < fromDay) return null;
  const common = { appId, sandbox, fromDay, toDay };
  if (only?.costs !== undefined) return { ...common, of: 'networks', ...only.costs };
  return { ...common, of: campaignId === null ? null : 'links', network: null, campaignId };
}

/** Up to the present day. A period that was cut for the comparison with it has whole days alone: none has a part of its cost. */
function lastDayOf(period: Period): string {
  const { toMs, endMs, untilMs } = period;
  if (toMs === endMs) return dayAt(period, Math.min(untilMs, endMs - 1));
  const last = dayAt(period, toMs - 1);
  return dayAt(period, toMs) === last ? dayOf(isoTime(Date.parse(last) - DAY_MS)) : last;
}

function dayAt({ timezone }: Pick<Period, 'timezone'>, ms: number): string {
  return localTime(timezone, ms).slice(0, 10);
}

function addUpAmounts(amounts: string): bigint {
  return amounts.split(',').reduce((sum, amount) => sum + toTenThousandths(amount), 0n);
}
