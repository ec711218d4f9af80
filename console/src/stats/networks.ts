/** Ad networks, and their campaigns, which two networks may give the same ID. */
const TITLES: Readonly<Record<string, string>> = {
  apple_ads: 'Apple Ads',
  meta: 'Meta',
  google_ads: 'Google Ads',
};
/** That claim installs; costs name others, too. */
export const NETWORKS = Object.keys(TITLES);

export function formatNetwork(name: string): string {
  return TITLES[name] ?? name;
}

/** A key for a campaign of a network. Names of networks have no space. */
export function toCampaignKey(network: string, campaignId: string): string {
  return `${network} ${campaignId}`;
}

export function fromCampaignKey(key: string): { readonly network: string; readonly campaignId: string } {
  const [network = ''] = key.split(' ', 1);
  return { network, campaignId: key.slice(network.length + 1) };
}

/** @param name as the network told it; the ID, or nothing, if it did not. */
export function formatCampaign(key: string, name?: string): string {
  const { network, campaignId } = fromCampaignKey(key);
  const text = `${formatNetwork(network)} ${campaignId}`;
  return name === undefined || name === campaignId ? text : `${name} (${text})`;
}
