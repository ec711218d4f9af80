import { BYTE_ORDER_MARK } from '../../components/download.ts';
import { formatCount } from '../../formats.ts';
import { yesterday } from './cost.ts';
import type { NetworkCampaign } from './network-campaigns.ts';

/** What needs no quotes, and what no spreadsheet takes for a formula. */
const PLAIN = /^[\p{L}\p{N}_][\p{L}\p{N} _.:/-]*$/u;

/** A line for each campaign of links and of networks, without its amount, as spreadsheets of the viewer's language read it. */
export function templateOf(
  campaigns: readonly string[],
  ofNetworks: readonly Pick<NetworkCampaign, 'network' | 'campaignId'>[],
  day = yesterday(),
): string {
  const separator = separatorOf();
  const hasNetworks = ofNetworks.length > 0;
  const named = hasNetworks ? ['network', 'networkCampaignId'] : [];
  const empty = named.map(() => '');
  const lines = [
    ['date', 'campaignId', ...named, 'amount', 'currency'],
    ...campaigns
      .filter((name) => PLAIN.test(name))
      .toSorted()
      .map((name) => [day, name, ...empty, '', '']),
    ...ofNetworks
      .filter(({ campaignId }) => PLAIN.test(campaignId))
      .map(({ network, campaignId }) => [day, '', network, campaignId, '', '']),
  ];
  return BYTE_ORDER_MARK + lines.map((cells) => `${cells.join(separator)}\r\n`).join('');
}

/** Where a comma is in numbers, spreadsheets separate cells by semicolons. */
function separatorOf(): string {
  return formatCount(0.5).includes(',') ? ';' : ',';
}
