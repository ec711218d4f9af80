import { readStats } from '@generated/sdk.gen.ts';
import type { ReadStatsData, Stats } from '@generated/types.gen.ts';
import { type Read, type ReadOptions, useRead } from '../api/use-read.ts';

export type StatsQuery = Omit<NonNullable<ReadStatsData['query']>, 'include'>;
type Part = 'totals' | 'series' | 'previous' | 'previousSeries' | 'groups' | 'groupings';

/** With parts that were asked for. */
export type StatsWith<P extends Part> = Stats & Required<Pick<Stats, P>>;

/** The parts that are named, which are all that is read. `groupings` are of several dimensions, `groups` of one. */
export function useStats<P extends Part>(
  query: StatsQuery,
  parts: readonly P[],
  options?: ReadOptions,
): Read<StatsWith<P>> {
  const include = parts.map((part) => (part === 'groupings' ? 'groups' : part)).join(',');
  return useRead(
    ['stats', query, include],
    async (client, signal) => {
      const { data } = await readStats({ client, query: { ...query, include }, signal, throwOnError: true });
      return { data: data as unknown as StatsWith<P> };
    },
    options,
  );
}
