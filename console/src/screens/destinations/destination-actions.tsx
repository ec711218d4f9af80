import { deleteDestination, recoverDestination, updateDestination } from '@generated/sdk.gen.ts';
import type { Destination } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type Receiver, ReceiverActions } from '../../delivery/receiver-actions.tsx';

const route = getRouteApi('/$appId');

export function DestinationActions({
  destination,
  onDelete,
}: {
  destination: Destination;
  onDelete?: () => void;
}) {
  const { appId } = route.useParams();
  return (
    <ReceiverActions
      of={receiverOf(destination)}
      onDelete={onDelete}
      edit={
        <Link
          to="/$appId/destinations/$destinationId/edit"
          params={{ appId, destinationId: destination.id }}
          className="btn btn-quiet"
        >
          Edit
        </Link>
      }
    />
  );
}

function receiverOf(destination: Destination): Receiver {
  const path = { destinationId: destination.id };
  return {
    ...destination,
    noun: 'destination',
    label: destination.name,
    setEnabled: (client, enabled) =>
      updateDestination({ client, path, body: { enabled }, throwOnError: true }),
    remove: (client) => deleteDestination({ client, path, throwOnError: true }),
    recover: (client, body, signal) =>
      recoverDestination({ client, path, body, ...(signal && { signal }), throwOnError: true }),
  };
}
