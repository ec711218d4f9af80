import { createDestination } from '@generated/sdk.gen.ts';
import type { DestinationType } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Head } from '../../components/page.tsx';
import { NoPermission, Pane } from '../../components/pane.tsx';
import { DestinationForm } from './destination-form.tsx';
import type { DestinationFields } from './read-form.ts';
import { TypeCards } from './type-cards.tsx';
import { useTypes } from './use-types.ts';

const route = getRouteApi('/$appId/destinations/new');

/** First its type, then what that type needs. */
export function NewDestination() {
  const { appId } = route.useParams();
  const { type } = route.useSearch();
  const mayEdit = useMay('editor');
  const { read } = useTypes();
  const chosen = read.data?.find((each) => each.type === type);
  return (
    <>
      <Head
        title={chosen === undefined ? 'New destination' : `New destination: ${chosen.title}`}
        above={
          <Link to="/$appId/destinations" params={{ appId }} className="hover:text-ink">
            Destinations
          </Link>
        }
      />
      {mayEdit ? (
        <Pane read={read} rows={9}>
          {(types) =>
            chosen === undefined ? <TypeCards types={types} /> : <Maker key={type} type={chosen} />
          }
        </Pane>
      ) : (
        <NoPermission text="An editor or an owner makes destinations." />
      )}
    </>
  );
}

function Maker({ type }: { type: DestinationType }) {
  const { appId } = route.useParams();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const change = useChange(
    async (client, fields: DestinationFields) => {
      const body = { ...fields, type: type.type };
      return (await createDestination({ client, body, throwOnError: true })).data;
    },
    async ({ id }) => {
      await refresh('destinations');
      const params = { appId, destinationId: id };
      await navigate({ to: '/$appId/destinations/$destinationId', params, ignoreBlocker: true });
    },
  );
  return (
    <DestinationForm
      type={type}
      destination={null}
      action="Make destination"
      error={change.error}
      isRunning={change.isRunning}
      onSubmit={change.run}
    >
      <Link to="/$appId/destinations/new" params={{ appId }} search={{}} className="btn btn-quiet">
        Other types
      </Link>
    </DestinationForm>
  );
}
