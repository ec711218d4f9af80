import { getRouteApi, Link } from '@tanstack/react-router';
import { hasRecords } from '../../api/beginning.ts';
import { useRead } from '../../api/use-read.ts';
import { Empty } from '../../components/page.tsx';
import { OtherApps } from './other-apps.tsx';

const route = getRouteApi('/$appId/');

/** Where these days have no records: what to do in an app without any, and which other apps have data. */
export function Beginning({ isFiltered }: { isFiltered: boolean }) {
  const { appId } = route.useParams();
  const { data } = useRead(['has-records'], async (client) => ({ data: await hasRecords(client) }));
  if (data === undefined || (data && isFiltered)) return null;
  if (data)
    return (
      <div className="pt-3 empty:hidden">
        <OtherApps>Nothing has happened in this app in these days.</OtherApps>
      </div>
    );
  return (
    <section aria-label="First steps" className="mt-4 rounded-m bg-sunken px-5">
      <Empty title="Nothing has happened in this app yet">
        <p className="text-ink-2">
          Numbers appear with the first click. Set-up leads there: the stores, a link, the SDK.
        </p>
        <Link to="/$appId/set-up" params={{ appId }} className="btn btn-main">
          Go to Set-up
        </Link>
        <OtherApps>Or look at another app:</OtherApps>
        <p className="meta">
          To look around first, run <code>npx throughline demo</code> on the server: it makes an app “Demo”
          with 90 days of made-up traffic, which operators then find in the menu of apps.
        </p>
      </Empty>
    </section>
  );
}
