/** What a team spent on a day for a campaign, and the rules for it. */
import type { CostsTable, Flag } from '../../db/index.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { isDay } from '../../server/days.ts';
import { compileCheck } from '../../server/validation.ts';
import { toDecimal, toTenThousandths } from '../revenue.ts';
import { StoreCost } from './schemas.ts';

export type CostRow = CostsTable;
/** What is stored of a cost, without its identity and times. */
export type CostKey = Pick<CostsTable, 'sandbox' | 'day' | 'network' | 'campaign_id' | 'currency'>;
export type NewCost = CostKey & Pick<CostsTable, 'amount'>;

/** A cost may be entered before it is due, such as the rest of a month; a day further ahead is a slip. */
const MAX_DAYS_AHEAD = 366;

const checkShape = compileCheck(StoreCost, 'cost');

/** @returns the cost, or the text that says what is wrong. */
export function readCost(
  value: unknown,
  { sandbox, nowMs }: { sandbox: Flag; nowMs: number },
): NewCost | string {
  const shapeError = checkShape(value);
  if (shapeError !== null) return shapeError;
  const { date, campaignId, network, networkCampaignId, cost } = value as StoreCost;
  const dayError = checkDay(date, nowMs);
  if (dayError !== null) return dayError;
  const isOfNetwork = network != null || networkCampaignId != null;
  if (campaignId != null && isOfNetwork)
    return 'A cost has either campaignId, or network and networkCampaignId. Leave out one of both.';
  if (campaignId == null && (network == null || networkCampaignId == null))
    return isOfNetwork
      ? 'network and networkCampaignId go together. Add the missing one.'
      : 'The campaign is missing. Give campaignId, or network and networkCampaignId.';
  // IDs of networks have no spaces, and are copied from pages.
  const idOfNetwork = networkCampaignId?.trim() ?? '';
  if (campaignId == null && idOfNetwork === '') return 'networkCampaignId must not be empty.';
  return {
    ...{ sandbox, day: date, network: network ?? '', campaign_id: campaignId ?? idOfNetwork },
    currency: cost.currency,
    amount: toDecimal(toTenThousandths(cost.amount)),
  };
}

function checkDay(date: string, nowMs: number): string | null {
  if (!isDay(date)) return 'date must be a day from 1970 on, written as 2026-01-31.';
  if (Date.parse(date) > nowMs + MAX_DAYS_AHEAD * DAY_MS)
    return `date is more than ${MAX_DAYS_AHEAD} days ahead. Check the year.`;
  return null;
}

/** Equal for costs that replace each other. */
export function nameOf({ day, network, campaign_id, currency }: CostKey): string {
  return JSON.stringify([day, network, campaign_id, currency]);
}
