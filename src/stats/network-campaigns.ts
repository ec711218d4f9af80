/** The names that networks give their campaigns, as their claims told them last. */
import { sql } from 'kysely';
import { type CostsTable, type Db, listByKeys, type Transaction } from '../db/index.ts';
import { chunks } from '../lib/chunks.ts';
import { fromNetworkCampaign, toNetworkCampaign } from './dimensions.ts';
import type { PendingGroup } from './fold-pending.ts';

const NAMES_PER_STATEMENT = 300;

/** Stores those that counts tell. A fold holds the counts of its app, so that no other one writes them. */
export async function storeNames(
  tx: Transaction,
  appId: string,
  groups: readonly PendingGroup[],
): Promise<void> {
  const told = new Map(
    groups.flatMap(({ first: { network, network_campaign, network_campaign_name: name } }) =>
      name === '' ? [] : [[toNetworkCampaign(network, network_campaign), name] as const],
    ),
  );
  if (told.size === 0) return;
  const stored = await findNames(tx, appId, [...told.keys()]);
  const changed = [...told].filter(([campaign, name]) => stored.get(campaign) !== name);
  for (const some of chunks(changed, NAMES_PER_STATEMENT))
    await tx
      .insertInto('network_campaigns')
      .values(some.map(([campaign, name]) => ({ app_id: appId, ...toKey(campaign), name })))
      .onConflict((conflict) =>
        conflict.columns(['app_id', 'network', 'campaign_id']).doUpdateSet({ name: sql`excluded.name` }),
      )
      .execute();
}

/** @param campaigns of `toNetworkCampaign`. @returns the names of those that have one. */
export async function findNames(
  db: Db,
  appId: string,
  campaigns: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await listByKeys(db, 'network_campaigns', appId, campaigns.map(toKey));
  return new Map(
    rows.map(({ network, campaign_id, name }) => [toNetworkCampaign(network, campaign_id), name]),
  );
}

/** @returns as `findNames`; costs of links have no network. */
export async function findNamesOfCosts(
  db: Db,
  appId: string,
  costs: readonly Pick<CostsTable, 'network' | 'campaign_id'>[],
): Promise<ReadonlyMap<string, string>> {
  const campaigns = costs.flatMap(({ network, campaign_id }) =>
    network === '' ? [] : toNetworkCampaign(network, campaign_id),
  );
  return await findNames(db, appId, [...new Set(campaigns)]);
}

function toKey(campaign: string) {
  const { network, campaignId } = fromNetworkCampaign(campaign);
  return { network, campaign_id: campaignId };
}
