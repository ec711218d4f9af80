import { readDestination, updateDestination } from '@generated/sdk.gen.ts';
import type { Destination, DestinationType } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { Head } from '../../components/page.tsx';
import { NoPermission, Pane } from '../../components/pane.tsx';
import { DestinationForm } from './destination-form.tsx';
import type { DestinationFields } from './read-form.ts';
import { useTypes } from './use-types.ts';

const route = getRouteApi('/$appId/destinations/$destinationId/edit');

export function EditDestination() {
  const { appId, destinationId } = route.useParams();
  const mayEdit = useMay('editor');
  const read = useRead(['destinations', destinationId], (client, signal) =>
    readDestination({ client, path: { destinationId }, signal, throwOnError: true }),
  );
  const types = useTypes().read;
  const name = read.data?.name ?? 'destination';
  const typeOf = ({ type }: Destination) => types.data?.find((each) => each.type === type);
  return (
    <>
      <Head
        title={`Edit ${name}`}
        above={
          <Link
            to="/$appId/destinations/$destinationId"
            params={{ appId, destinationId }}
            className="hover:text-ink"
          >
            <bdi>{name}</bdi>
          </Link>
        }
      />
      {mayEdit ? (
        <Pane read={types}>
          {() => (
            <Pane read={read}>
              {(destination) => {
                const type = typeOf(destination);
                return type !== undefined && <Editor latest={destination} type={type} />;
              }}
            </Pane>
          )}
        </Pane>
      ) : (
        <NoPermission text="An editor or an owner changes destinations." />
      )}
    </>
  );
}

function Editor({ latest, type }: { latest: Destination; type: DestinationType }) {
  const { appId, destinationId } = route.useParams();
  const navigate = useNavigate();
  const refresh = useRefresh();
  /** The first values of the form: a later read must not replace what the user types. */
  const [destination] = useState(latest);
  const params = { appId, destinationId };
  const change = useChange<DestinationFields, unknown>(
    (client, fields) =>
      updateDestination({ client, path: { destinationId }, body: fields, throwOnError: true }),
    async () => {
      await refresh('destinations');
      await navigate({ to: '/$appId/destinations/$destinationId', params, ignoreBlocker: true });
    },
  );
  return (
    <DestinationForm
      type={type}
      destination={destination}
      action="Save"
      error={change.error}
      isRunning={change.isRunning}
      onSubmit={change.run}
    >
      <Link to="/$appId/destinations/$destinationId" params={params} className="btn btn-quiet" ignoreBlocker>
        Cancel
      </Link>
    </DestinationForm>
  );
}
