import { useState } from 'react';
import { SuggestField } from '../../components/suggest-field.tsx';
import { useSuggestions } from '../links/use-suggestions.ts';
import { suggestedNetworks, useNetworkCampaigns } from './network-campaigns.ts';

/** What a cost is for: a campaign of links, or one of a network, which stays for the next cost. */
export function CampaignFields({
  campaignId,
  onChange,
}: {
  campaignId: string;
  onChange: (campaignId: string) => void;
}) {
  const [network, setNetwork] = useState('');
  const { campaigns } = useSuggestions();
  const ofNetworks = useNetworkCampaigns();
  const own = ofNetworks.filter((each) => each.network === network.trim());
  const isOfLinks = network.trim() === '';
  return (
    <>
      <SuggestField
        label="Network"
        name="network"
        value={network}
        suggestions={suggestedNetworks(ofNetworks)}
        onChange={setNetwork}
        maxLength={64}
        placeholder="None: your links"
      />
      <SuggestField
        label={isOfLinks ? 'Campaign' : 'Campaign ID there'}
        name={isOfLinks ? 'campaignId' : 'networkCampaignId'}
        value={campaignId}
        suggestions={isOfLinks ? campaigns : own.map(({ text }) => text)}
        onChange={onChange}
        onPick={(text) => onChange(own.find((each) => each.text === text)?.campaignId ?? text)}
        required
      />
    </>
  );
}
