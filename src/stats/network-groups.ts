/** Networks and their campaigns, of a filter by one of them: the value of a campaign names its network. */
import { entryAt } from '../lib/entry-at.ts';
import { addCounts, type Counts, noCounts } from './add-counts.ts';
import { type Dimension, fromNetworkCampaign, fromValue, toValue } from './dimensions.ts';
import type { GroupBy } from './groups.ts';
import { type Span, sumCells } from './read-cells.ts';
import type { Of } from './read-period.ts';

/** By dimension and stored value; nothing where the filter is of another dimension, or leaves one group alone. */
export async function sumNetworks(
  { db, filter }: Of,
  groupBy: readonly GroupBy[],
  { fromMs, toMs }: Span,
): Promise<Map<Dimension, ReadonlyMap<string, Counts>>> {
  const sums = new Map<Dimension, ReadonlyMap<string, Counts>>();
  const { dimension = '', values = null, withoutCampaign } = filter.only ?? {};
  if (values === null || withoutCampaign !== undefined || !dimension.startsWith('network')) return sums;
  const wanted = (['network', 'networkCampaign'] as const).filter((each) => groupBy.includes(each));
  if (wanted.length === 0 || (dimension === 'network' && !wanted.includes('networkCampaign'))) return sums;
  const isOfCampaign = dimension === 'networkCampaign';
  const chosen = isOfCampaign ? { values } : { network: fromValue(values[0] ?? '') };
  const of = { fromMs, toMs, dimensions: ['networkCampaign'], ...chosen };
  const found = await sumCells(db, { ...filter, only: null }, of);
  const campaigns = found.get('networkCampaign') ?? new Map<string, Counts>();
  sums.set('networkCampaign', campaigns);
  if (!isOfCampaign) return sums;
  const networks = new Map<string, Counts>();
  for (const [value, counts] of campaigns) addCounts(entryAt(networks, networkOf(value), noCounts), counts);
  return sums.set('network', networks);
}

/** As stored. */
function networkOf(campaign: string): string {
  return toValue(fromNetworkCampaign(fromValue(campaign)).network);
}
