import { listLinks } from '@generated/sdk.gen.ts';
import { type Read, useRead } from '../../api/use-read.ts';
import { useStats } from '../../stats/use-stats.ts';

const MOST = 100;

/** Campaigns of the app, by name: those with most clicks in 30 days, and those of the newest links. */
export function useCampaigns(): readonly string[] {
  const query = { groupBy: 'campaign', limit: MOST } as const;
  const counted = useStats(query, ['groups']);
  const links = useRead(['links', 'campaigns'], (client, signal) =>
    listLinks({ client, query: { limit: MOST }, signal, throwOnError: true }),
  );
  return namesOf(counted.data?.groups, links);
}

function namesOf(
  groups: readonly { key: string | null }[] = [],
  { data = [] }: Read<readonly { campaignId: string | null }[]>,
): readonly string[] {
  const names = [...groups.map(({ key }) => key), ...data.map(({ campaignId }) => campaignId)];
  return [...new Set(names.filter((name) => name !== null))].sort();
}
