import { readOwnApp } from '@generated/sdk.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';

const route = getRouteApi('/$appId');

/** Before the first import: whether old addresses can go on at all. */
export function Ground() {
  const { appId } = route.useParams();
  const isOwner = useMay('owner');
  const read = useRead(['app'], (client, signal) => readOwnApp({ client, signal, throwOnError: true }));
  if (read.data === undefined || read.data.shortLinkHost !== null) return null;
  return (
    <div className="note mt-3 max-w-[860px]">
      <b>No host of its own</b>
      <p>
        Imported links get new addresses, so printed and posted ones do not lead here. To keep them, set the
        short link host of the app first, such as go.example.com.{' '}
        {isOwner ? (
          <Link to="/$appId/settings" params={{ appId }} className="link">
            Settings
          </Link>
        ) : (
          'An owner does that in Settings.'
        )}
      </p>
    </div>
  );
}
