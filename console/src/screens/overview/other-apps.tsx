import { useQueries } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { clientOf } from '../../api/client.ts';
import { type Period, periodOf } from '../../stats/period.ts';
import { askStats } from '../../stats/use-stats.ts';

const route = getRouteApi('/$appId');
const MAX_APPS = 5;

/** On the page of an app without data: the user's other apps that have some. */
export function OtherApps() {
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
  return filled.map(({ id, name }) => (
    <p key={id} className="pt-3">
      Nothing is counted here in these days.{' '}
      <Link to="/$appId" params={{ appId: id }} className="link">
        {name} has data
      </Link>
    </p>
  ));
}
