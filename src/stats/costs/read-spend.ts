/** The costs of a period, added up as statistics answer them. */
import type { Db } from '../../db/index.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { entryAt } from '../../lib/entry-at.ts';
import { intervalAt, localTime, type Period, startsOf } from '../periods.ts';
import type { CellFilter } from '../read-cells.ts';
import { addAmount, type Money, toTenThousandths } from '../revenue.ts';
import { type CostFilter, sumCostsBy } from './queries.ts';

export interface Spend {
  readonly total: Money;
  /** Null without a series, and for hours: a cost has a day alone. */
  readonly byInterval: readonly Money[] | null;
}

/**
 * A cost counts for its day, whatever the time zone.
 * @returns null where costs are not known: of a link, a platform, or anything else that a cost does not name.
 */
export async function readSpend(
  db: Db,
  filter: CellFilter,
  period: Period,
  { hasSeries }: { hasSeries: boolean },
): Promise<Spend | null> {
  const of = costsOf(filter, period);
  if (of === null) return null;
  const isByDay = hasSeries && period.interval !== 'hour';
  const days = isByDay ? startsOf(period).map((ms) => Date.parse(dayAt(period, ms))) : [];
  const byInterval = days.map(() => new Map<string, bigint>());
  const total = new Map<string, bigint>();
  for (const { currency, amounts, ...row } of await sumCostsBy(db, of, isByDay ? ['day'] : [])) {
    const amount = addUpAmounts(amounts);
    addAmount(total, currency, amount);
    const ofInterval = 'day' in row ? byInterval[intervalAt(days, Date.parse(row.day))] : undefined;
    if (ofInterval !== undefined) addAmount(ofInterval, currency, amount);
  }
  return { total, byInterval: isByDay ? byInterval : null };
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

function costsOf(
  { appId, sandbox, campaignId, ...others }: CellFilter,
  { from, ...period }: Period,
): CostFilter | null {
  if (Object.values(others).some((value) => value !== null)) return null;
  const toDay = lastWholeDay(period);
  return toDay < from ? null : { appId, sandbox, campaignId, fromDay: from, toDay };
}

/** The period before one that is not over ends within a day, whose cost would count whole. */
function lastWholeDay({ toMs, ...period }: Pick<Period, 'toMs' | 'timezone'>): string {
  const last = dayAt(period, toMs - 1);
  return dayAt(period, toMs) === last ? new Date(Date.parse(last) - DAY_MS).toISOString().slice(0, 10) : last;
}

function dayAt({ timezone }: Pick<Period, 'timezone'>, ms: number): string {
  return localTime(timezone, ms).slice(0, 10);
}

function addUpAmounts(amounts: string): bigint {
  return amounts.split(',').reduce((sum, amount) => sum + toTenThousandths(amount), 0n);
}
