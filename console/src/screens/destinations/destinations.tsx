/** The destinations of an app: where its records go besides webhooks. */
import { listDestinations } from '@generated/sdk.gen.ts';
import type { Destination } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay } from '../../api/app-context.ts';
import { SERVICE_URL } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { Empty, Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { HealthLine } from '../../delivery/health-line.tsx';
import { DestinationActions } from './destination-actions.tsx';
import { useTypes } from './use-types.ts';
import { takenBy } from './words.ts';

const route = getRouteApi('/$appId/destinations');
/** Attempts go on while one looks. */
export const REFETCH_MS = 3_000;

export function Destinations() {
  const { appId } = route.useParams();
  const mayEdit = useMay('editor');
  const read = useRead(
    ['destinations'],
    (client, signal) => listDestinations({ client, signal, throwOnError: true }),
    { refetchMs: REFETCH_MS },
  );
  return (
    <>
      <Head title="Destinations">
        {mayEdit && (
          <Link to="/$appId/destinations/new" params={{ appId }} className="btn ml-auto">
            New destination
          </Link>
        )}
      </Head>
      <div className="mt-2 border-t border-line">
        <Pane read={read} rows={4}>
          {(destinations) =>
            destinations.length === 0 ? (
              <None />
            ) : (
              <ul>
                {destinations.map((destination) => (
                  <Row key={destination.id} destination={destination} />
                ))}
              </ul>
            )
          }
        </Pane>
      </div>
    </>
  );
}

function None() {
  return (
    <Empty title="No destinations yet">
      <p className="text-ink-2">
        A destination sends installs, opens and events to where your team looks already: a product for
        analytics, or the ad network that brought the install, which then learns which of its ads work.
      </p>
      <p className="text-ink-2">
        You see the exact request before anything is sent. A webhook is for a server or a chat of your own.{' '}
        <a href={`${SERVICE_URL}docs/guide/destinations`} className="link underline">
          How destinations work
        </a>
      </p>
    </Empty>
  );
}

function Row({ destination }: { destination: Destination }) {
  const { appId } = route.useParams();
  const { titleOf } = useTypes();
  const { id, name, type, enabled } = destination;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1 border-b border-line py-2.5 max-wide:grid-cols-1">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <Link
            to="/$appId/destinations/$destinationId"
            params={{ appId, destinationId: id }}
            className="link font-semibold [overflow-wrap:anywhere]"
          >
            {name}
          </Link>
          {name !== titleOf(type) && <span className="tag">{titleOf(type)}</span>}
          {!enabled && <span className="tag">off</span>}
        </p>
        <p className="text-ink-2 [overflow-wrap:anywhere]">{takenBy(destination)}</p>
        <HealthLine of={destination} />
      </div>
      <DestinationActions destination={destination} />
    </li>
  );
}
