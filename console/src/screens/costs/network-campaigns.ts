import { formatCampaign, fromCampaignKey, NETWORKS } from '../../stats/networks.ts';
import { useStats } from '../../stats/use-stats.ts';

export interface NetworkCampaign {
  readonly network: string;
  readonly campaignId: string;
  /** With the name, where the network told it. */
  readonly text: string;
}

/** Those with installs or costs in 30 days. */
export function useNetworkCampaigns(): readonly NetworkCampaign[] {
  const query = { groupBy: 'networkCampaign', sort: 'networkInstalls', limit: 100 } as const;
  const { data } = useStats(query, ['groups']);
  return (data?.groups ?? []).flatMap(({ key, label }) => {
    if (key === null) return [];
    const { network, campaignId } = fromCampaignKey(key);
    const text = label === campaignId ? campaignId : formatCampaign(key, label);
    return [{ network, campaignId, text }];
  });
}

export function suggestedNetworks(campaigns: readonly NetworkCampaign[]): string[] {
  return [...new Set([...campaigns.map(({ network }) => network), ...NETWORKS])];
}
