import { listEvents, listInstalls, listLinks, readStats } from '@generated/sdk.gen.ts';
import { type Read, useRead } from '../../api/use-read.ts';
import { periodOf } from '../../stats/period.ts';

/** The first records, live or in the sandbox. */
export interface Firsts {
  readonly hasLink: boolean;
  readonly linkCode: string | null;
  readonly clicks: number;
  readonly installs: number;
  readonly installId: string | null;
  readonly hasEvent: boolean;
}

const ASK_EVERY_MS = 5_000;
const often = { refetchMs: ASK_EVERY_MS };

/** The page ticks itself off. */
export function useFirsts(): { firsts: Firsts | null; retry: () => void } {
  const links = useRead(['links', 'first'], (client, signal) =>
    listLinks({ client, query: { limit: 1 }, signal, throwOnError: true }),
  );
  const live = useSandbox('false');
  const sandbox = useSandbox('true');
  const { data: list } = links;
  const reads = [
    live.stats.data,
    sandbox.stats.data,
    live.installs.data,
    sandbox.installs.data,
    live.events.data,
  ];
  if (list === undefined || reads.some((data) => data === undefined))
    return { firsts: null, retry: links.retry };
  const sum = (name: 'clicks' | 'installs') =>
    [live, sandbox].reduce((total, { stats }) => total + (stats.data?.totals[name] ?? 0), 0);
  const install = live.installs.data?.[0] ?? sandbox.installs.data?.[0];
  return {
    firsts: {
      hasLink: list.length > 0,
      linkCode: list[0]?.shortCode ?? null,
      clicks: sum('clicks'),
      installs: sum('installs'),
      installId: install?.id ?? null,
      hasEvent: (live.events.data?.length ?? 0) + (sandbox.events.data?.length ?? 0) > 0,
    },
    retry: () => {
      for (const { stats, installs, events } of [live, sandbox])
        for (const read of [stats, installs, events] satisfies readonly Read<unknown>[]) read.retry();
      links.retry();
    },
  };
}

function useSandbox(sandbox: 'true' | 'false') {
  const period = periodOf({ days: '364' });
  return {
    stats: useRead(
      ['first', 'stats', sandbox],
      (client, signal) =>
        readStats({ client, query: { ...period, interval: 'month', sandbox }, signal, throwOnError: true }),
      often,
    ),
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
