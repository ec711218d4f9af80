/** The destinations of an app: where its records go besides webhooks. */
import { listDestinations } from '@generated/sdk.gen.ts';
import type { Destination } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay } from '../../api/app-context.ts';
import { SERVICE_URL } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { Empty, Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { REFETCH_MS } from '../../delivery/attempts.tsx';
import { ReceiverRow } from '../../delivery/receiver-row.tsx';
import { DestinationActions } from './destination-actions.tsx';
import { useTypes } from './use-types.ts';
import { takenBy } from './words.ts';

const route = getRouteApi('/$appId/destinations');

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
  const { id, name, type } = destination;
  return (
    <ReceiverRow
      of={destination}
      heading={
        <Link
          to="/$appId/destinations/$destinationId"
          params={{ appId, destinationId: id }}
          className="link font-semibold [overflow-wrap:anywhere]"
        >
          {name}
        </Link>
      }
      kind={name === titleOf(type) ? null : titleOf(type)}
      takes={takenBy(destination)}
    >
      <DestinationActions destination={destination} />
    </ReceiverRow>
  );
}
