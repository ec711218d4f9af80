/** Values that the links and clicks of an app had before. */
import { listLinks } from '@generated/sdk.gen.ts';
import { useRead } from '../../api/use-read.ts';
import { useStats } from '../../stats/use-stats.ts';
import { UTM, type UtmName, usedUtm } from './utm.ts';

const MOST = 100;

export interface Suggestions {
  readonly campaigns: readonly string[];
  readonly utm: Readonly<Record<UtmName, readonly string[]>>;
}

/** Those with most clicks in 30 days first, then those of the newest links. */
export function useSuggestions(): Suggestions {
  const groupBy = 'campaign,utmSource,utmMedium,utmCampaign';
  const counted = useStats({ groupBy, limit: MOST }, ['groupings']);
  const { data: links = [] } = useRead(['links', 'suggestions'], (client, signal) =>
    listLinks({ client, query: { limit: MOST, madeBy: 'team' }, signal, throwOnError: true }),
  );
  const keysOf = (dimension: string) =>
    counted.data?.groupings
      .find((each) => each.groupBy === dimension)
      ?.groups.flatMap(({ key }) => key ?? []) ?? [];
  const used = usedUtm(links.map(({ fallbackUrl }) => fallbackUrl));
  const utm = UTM.map(([name, , dimension]) => [
    name,
    distinct([...(dimension === null ? [] : keysOf(dimension)), ...used[name]]),
  ]);
  return {
    campaigns: distinct([...keysOf('campaign'), ...links.flatMap(({ campaignId }) => campaignId ?? [])]),
    utm: Object.fromEntries(utm),
  };
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
