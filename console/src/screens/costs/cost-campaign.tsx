import type { StoredCost } from '@generated/types.gen.ts';
import { formatNetwork } from '../../stats/networks.ts';

type Of = Pick<StoredCost, 'campaignId' | 'network' | 'networkCampaignId' | 'networkCampaignName'>;

/** What a cost is for; a campaign of a network by its name and ID, if the name is known. */
export function CostCampaign({ campaignId, network, networkCampaignId, networkCampaignName }: Of) {
  return (
    <>
      {network !== null && (
        <>
          <span className="tag">{formatNetwork(network)}</span>{' '}
        </>
      )}
      {campaignId ?? networkCampaignName ?? networkCampaignId}
      {networkCampaignName !== null && (
        <>
          {' '}
          <span className="mono ml-1 text-ink-3">{networkCampaignId}</span>
        </>
      )}
    </>
  );
}
