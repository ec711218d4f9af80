import { getRouteApi, Link } from '@tanstack/react-router';
import { hasRecords } from '../../api/beginning.ts';
import { useRead } from '../../api/use-read.ts';
import { Empty } from '../../components/page.tsx';
import type { OverviewStats } from './use-stats.ts';

const route = getRouteApi('/$appId/');

/** For an app without records: what to do. Nothing is asked while there are numbers. */
export function Beginning({ stats }: { stats: OverviewStats }) {
  const { appId } = route.useParams();
  const isEmpty = [stats.totals, stats.previous].every(
    ({ clicks, installs, opens, events }) => clicks + installs + opens + events === 0,
  );
  const { data } = useRead(['has-records'], async (client) => ({ data: await hasRecords(client) }), {
    enabled: isEmpty,
  });
  if (!isEmpty || data !== false) return null;
  return (
    <section aria-label="First steps" className="mt-4 rounded-m bg-sunken px-5">
      <Empty title="Nothing has happened in this app yet">
        <p className="text-ink-2">
          Numbers appear with the first click. Set-up leads there: the stores, a link, the SDK.
        </p>
        <Link to="/$appId/set-up" params={{ appId }} className="btn btn-main">
          Go to Set-up
        </Link>
        <p className="meta">
          To look around first, run <code>npx throughline demo</code> on the server: it makes an app “Demo”
          with 90 days of made-up traffic, which operators then find in the menu of apps.
        </p>
      </Empty>
    </section>
  );
}
