import { diagnoseLink, listEvents, listInstalls, listLinks } from '@generated/sdk.gen.ts';
import type { DiagnosisFinding } from '@generated/types.gen.ts';
import { type Read, useRead } from '../../api/use-read.ts';
import { periodOf } from '../../stats/period.ts';
import { useStats } from '../../stats/use-stats.ts';
import { linkName } from '../links/link-name.ts';

/** The first records, live or in the sandbox. */
export interface Firsts {
  readonly hasLink: boolean;
  readonly linkName: string | null;
  /** What the diagnosis of that link finds, as its page shows it; null without a link. */
  readonly findings: readonly DiagnosisFinding[] | null;
  readonly clicks: number;
  readonly installs: number;
  readonly installId: string | null;
  readonly hasEvent: boolean;
}

const ASK_EVERY_MS = 5_000;
const often = { refetchMs: ASK_EVERY_MS };

/** The page ticks itself off. The error is that of any of the reads; trying again reads them all. */
export function useFirsts(): Read<Firsts> {
  const links = useRead(
    ['links', 'first'],
    (client, signal) =>
      listLinks({ client, query: { limit: 1, state: 'active' }, signal, throwOnError: true }),
    often,
  );
  const link = links.data?.[0];
  const shortCode = link?.shortCode ?? '';
  const diagnosis = useRead(
    ['links', shortCode, 'diagnosis'],
    (client, signal) => diagnoseLink({ client, path: { shortCode }, signal, throwOnError: true }),
    { ...often, enabled: link !== undefined },
  );
  const live = useSandbox('false');
  const sandbox = useSandbox('true');
  const diagnosed = link === undefined ? [] : [diagnosis];
  const reads: readonly Read<unknown>[] = [
    links,
    ...diagnosed,
    ...Object.values(live),
    ...Object.values(sandbox),
  ];
  const isWhole = reads.every(({ data }) => data !== undefined);
  const sum = (name: 'clicks' | 'installs') =>
    [live, sandbox].reduce((total, { stats }) => total + (stats.data?.totals[name] ?? 0), 0);
  const install = live.installs.data?.[0] ?? sandbox.installs.data?.[0];
  return {
    data: isWhole
      ? {
          hasLink: link !== undefined,
          linkName: link === undefined ? null : linkName(link),
          findings: link === undefined ? null : (diagnosis.data?.findings ?? null),
          clicks: sum('clicks'),
          installs: sum('installs'),
          installId: install?.id ?? null,
          hasEvent: (live.events.data?.length ?? 0) + (sandbox.events.data?.length ?? 0) > 0,
        }
      : undefined,
    error: reads.find(({ error }) => error !== null)?.error ?? null,
    isLoading: reads.some(({ isLoading }) => isLoading),
    isStale: reads.some(({ isStale }) => isStale),
    readAtMs: Math.min(...reads.map(({ readAtMs }) => readAtMs)),
    retry: () => {
      for (const { retry } of reads) retry();
    },
  };
}

function useSandbox(sandbox: 'true' | 'false') {
  const period = periodOf({ days: '364' });
  return {
    stats: useStats({ ...period, sandbox }, ['totals'], often),
    installs: useRead(
      ['first', 'installs', sandbox],
      (client, signal) => listInstalls({ client, query: { limit: 1, sandbox }, signal, throwOnError: true }),
      often,
    ),
    events: useRead(
      ['first', 'events', sandbox],
      (client, signal) => listEvents({ client, query: { limit: 1, sandbox }, signal, throwOnError: true }),
      often,
    ),
  };
}
