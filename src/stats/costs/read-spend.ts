/** The costs of a period, added up as statistics answer them. */
import type { Db } from '../../db/index.ts';
import { DAY_MS, dayOf, isoTime } from '../../lib/clock.ts';
import { entryAt } from '../../lib/entry-at.ts';
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

/** Without costs of networks, which have campaigns of their own. @returns null as `readSpend`. */
export async function readSpendByCampaign(
  db: Db,
  filter: CellFilter,
  period: Period,
): Promise<ReadonlyMap<string, Money> | null> {
  const of = costsOf(filter, period);
  if (of === null) return null;
  const byCampaign = new Map<string, Map<string, bigint>>();
  for (const row of await sumCostsBy(db, of, ['network', 'campaign_id']))
    if (row.network === '')
      addAmount(
        entryAt(byCampaign, row.campaign_id, () => new Map()),
        row.currency,
        addUpAmounts(row.amounts),
      );
  return byCampaign;
}

function costsOf({ appId, sandbox, campaignId, ...others }: CellFilter, period: Period): CostFilter | null {
  if (Object.values(others).some((value) => value !== null)) return null;
  const [fromDay, toDay] = [period.from, lastDayOf(period)];
  return toDay < fromDay ? null : { appId, sandbox, campaignId, fromDay, toDay };
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
