import { deleteDestination, recoverDestination, updateDestination } from '@generated/sdk.gen.ts';
import type { Destination } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Refusal } from '../../components/pane.tsx';
import { waitingText } from '../../delivery/health-line.tsx';
import { type Recoverable, RecoveryDialog } from '../../delivery/recovery-dialog.tsx';

const route = getRouteApi('/$appId');

type Shown = 'recover' | 'off' | 'delete' | null;

/** What editors do with a destination; below it, why a switch failed. */
export function DestinationActions({
  destination,
  onDelete,
}: {
  destination: Destination;
  onDelete?: () => void;
}) {
  const mayEdit = useMay('editor');
  const { appId } = route.useParams();
  const refresh = useRefresh();
  const path = { destinationId: destination.id };
  const refreshAll = async () => {
    await Promise.all([refresh('destinations'), refresh('deliveries')]);
  };
  const [dialog, setDialog] = useState<Shown>(null);
  const enable = useChange<void, unknown>(
    (client) => updateDestination({ client, path, body: { enabled: true }, throwOnError: true }),
    refreshAll,
  );
  if (!mayEdit) return null;
  return (
    <>
      <div className="flex flex-wrap gap-1">
        <button
          type="button"
          className="btn btn-quiet"
          onClick={() => (destination.enabled ? setDialog('off') : enable.run())}
        >
          {destination.enabled ? 'Switch off' : 'Switch on'}
        </button>
        <Link
          to="/$appId/destinations/$destinationId/edit"
          params={{ appId, destinationId: destination.id }}
          className="btn btn-quiet"
        >
          Edit
        </Link>
        <button type="button" className="btn btn-quiet" onClick={() => setDialog('recover')}>
          Recover since
        </button>
        <button type="button" className="btn btn-quiet" onClick={() => setDialog('delete')}>
          Delete
        </button>
      </div>
      <div className="col-span-full basis-full empty:hidden" role="status">
        <Refusal error={enable.error} />
      </div>
      <Dialogs destination={destination} dialog={dialog} close={() => setDialog(null)} onDelete={onDelete} />
    </>
  );
}

function Dialogs({
  destination,
  dialog,
  close,
  onDelete,
}: {
  destination: Destination;
  dialog: Shown;
  close: () => void;
  onDelete: (() => void) | undefined;
}) {
  const refresh = useRefresh();
  const path = { destinationId: destination.id };
  const remove = useChange<void, unknown>(
    (client) => deleteDestination({ client, path, throwOnError: true }),
    async () => {
      onDelete?.();
      await refresh('destinations');
    },
  );
  const disable = useChange<void, unknown>(
    (client) => updateDestination({ client, path, body: { enabled: false }, throwOnError: true }),
    async () => {
      close();
      await Promise.all([refresh('destinations'), refresh('deliveries')]);
    },
  );
  const recover: Recoverable['recover'] = (client, body, signal) =>
    recoverDestination({ client, path, body, ...(signal && { signal }), throwOnError: true });
  return (
    <>
      {dialog === 'recover' && (
        <RecoveryDialog of={{ ...destination, noun: 'destination', recover }} onClose={close} />
      )}
      <Confirm
        title="Switch off this destination?"
        action="Switch off"
        keep="Keep it on"
        isOpen={dialog === 'off'}
        onClose={close}
        change={disable}
      >
        <p>{lossOf(destination.health.waiting)}</p>
        <p>What happens while it is off is not sent later.</p>
      </Confirm>
      <Confirm
        title="Delete this destination?"
        action="Delete destination"
        isOpen={dialog === 'delete'}
        onClose={close}
        change={remove}
      >
        <b className="[overflow-wrap:anywhere]">{destination.name}</b> gets nothing more, and what waits for
        it is dropped. What it has received stays there.
      </Confirm>
    </>
  );
}

function lossOf(waiting: number): string {
  if (waiting === 0) return 'Nothing waits for it.';
  const what = waiting === 1 ? '1 message waits' : `${waitingText(waiting)} messages wait`;
  return `${what} and will not be sent, unless you send what did not arrive again with “Recover since”.`;
}
