import type { Client } from '@generated/client/index.ts';
import { readStats } from '@generated/sdk.gen.ts';
import type { ReadStatsData, Stats, StatsGroup } from '@generated/types.gen.ts';
import { type Read, type ReadOptions, useRead } from '../api/use-read.ts';
import { toCampaignKey } from './networks.ts';

export type StatsQuery = Omit<NonNullable<ReadStatsData['query']>, 'include'>;
type Part = 'totals' | 'series' | 'previous' | 'previousSeries' | 'groups' | 'other' | 'groupings';
/** By the part that the service answers them with. */
const WITH: Partial<Readonly<Record<Part, Part>>> = { groupings: 'groups', other: 'groups' };

/** With parts that were asked for. */
export type StatsWith<P extends Part> = Stats & Required<Pick<Stats, P>>;

/** The parts that are named, which are all that is read. `groupings` are of several dimensions, `groups` of one. */
export function useStats<P extends Part>(
  query: StatsQuery,
  parts: readonly P[],
  options?: ReadOptions,
): Read<StatsWith<P>> {
  return useRead(
    ['stats', query, ...parts],
    async (client, signal) => ({ data: await askStats(client, query, parts, signal) }),
    options,
  );
}

export async function askStats<P extends Part>(
  client: Client,
  query: StatsQuery,
  parts: readonly P[],
  signal?: AbortSignal,
): Promise<StatsWith<P>> {
  const include = [...new Set(parts.map((part) => WITH[part] ?? part))].join(',');
  const { data } = await readStats({
    ...{ client, query: { ...query, include }, throwOnError: true },
    ...(signal !== undefined && { signal }),
  });
  return withCampaignKeys(data) as unknown as StatsWith<P>;
}

/** Keys of campaigns of networks name the network. */
function withCampaignKeys<S extends Partial<Stats>>(stats: S): S {
  const { groups, groupings } = stats;
  return {
    ...stats,
    ...(groups !== undefined && { groups: groups.map(withCampaignKey) }),
    ...(groupings !== undefined && {
      groupings: groupings.map((each) => ({ ...each, groups: each.groups.map(withCampaignKey) })),
    }),
  };
}

function withCampaignKey(group: StatsGroup): StatsGroup {
  const { key, network } = group;
  return network === undefined || key === null ? group : { ...group, key: toCampaignKey(network, key) };
}
