import { formatDay } from '../../formats.ts';
import { formatCampaign, toCampaignKey } from '../../stats/networks.ts';

export function formatCostDay(day: string): string {
  return formatDay(day, { day: 'numeric', month: 'short', year: 'numeric' });
}

/** The day before today, where the viewer is: networks tell the cost of a day when it is over. */
export function yesterday(now = new Date()): string {
  const day = new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate() - 1));
  return day.toISOString().slice(0, 10);
}

/** Of links, or of a network with its ID. */
export interface OfCampaign {
  readonly campaignId?: string | null;
  readonly network?: string | null;
  readonly networkCampaignId?: string | null;
  readonly networkCampaignName?: string | null;
}

export function campaignOf(of: OfCampaign): string {
  const { campaignId, network, networkCampaignId, networkCampaignName } = of;
  const key = toCampaignKey(network ?? '', networkCampaignId ?? '');
  return campaignId ?? formatCampaign(key, networkCampaignName ?? undefined);
}

/** As the service takes it, from what people type: a comma before one or two decimals is a point. */
export function toAmount(text: string): string {
  return text.trim().replace(/^(\d+),(\d{1,2})$/, '$1.$2');
}
