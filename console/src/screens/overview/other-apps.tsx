import { useQueries } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { type Period, periodOf } from '../../stats/period.ts';
import { askStats } from '../../stats/use-stats.ts';

const route = getRouteApi('/$appId');
const MAX_APPS = 5;

/** On the page of an app without data: the user's other apps that have some, behind a sentence. */
export function OtherApps({ children }: { children: ReactNode }) {
  const { session, app } = route.useRouteContext();
  const others = session.apps.filter(({ id }) => id !== app?.id).slice(0, MAX_APPS);
  const period: Period = periodOf({});
  const reads = useQueries({
    queries: others.map(({ id }) => ({
      queryKey: [id, 'has-data', period],
      queryFn: async () => (await askStats(clientOf(id), period, ['totals'])).totals,
    })),
  });
  const filled = others.filter((_, index) => {
    const totals = reads[index]?.data;
    return totals !== undefined && totals.clicks + totals.installs + totals.events > 0;
  });
  if (filled.length === 0) return null;
  return (
    <p className="flex flex-wrap gap-x-3">
      {children}
      {filled.map(({ id, name }) => (
        <Link key={id} to="/$appId" params={{ appId: id }} className="link">
          {name} has data
        </Link>
      ))}
    </p>
  );
}
