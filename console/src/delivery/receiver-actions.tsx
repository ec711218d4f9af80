import type { Client } from '@generated/client/index.ts';
import { type ReactNode, useState } from 'react';
import { useMay } from '../api/app-context.ts';
import type { ApiError } from '../api/error.ts';
import { useChange } from '../api/use-change.ts';
import { useRefresh } from '../api/use-read.ts';
import { Confirm } from '../components/confirm.tsx';
import { Refusal } from '../components/pane.tsx';
import { waitingText } from './health-line.tsx';
import { type Recoverable, RecoveryDialog } from './recovery-dialog.tsx';

/** A webhook or a destination, with the calls of the service. */
export interface Receiver extends Recoverable {
  /** As its deletion names it. */
  readonly label: string;
  setEnabled(client: Client, enabled: boolean): Promise<unknown>;
  remove(client: Client): Promise<unknown>;
}

type Shown = 'recover' | 'off' | 'delete' | null;

interface ReceiverActionsProps {
  readonly of: Receiver;
  readonly onDelete: (() => void) | undefined;
  readonly test?: ReactNode;
  readonly edit: ReactNode;
  /** Of a test. */
  readonly error?: ApiError | null;
  /** What came of a test. */
  readonly children?: ReactNode;
}

/** What editors do with a webhook or destination; below it, what came of a test or a switch. */
export function ReceiverActions({ of, onDelete, test, edit, error = null, children }: ReceiverActionsProps) {
  const mayEdit = useMay('editor');
  const refresh = useRefreshOf(of);
  const [dialog, setDialog] = useState<Shown>(null);
  const enable = useChange<void, unknown>((client) => of.setEnabled(client, true), refresh);
  if (!mayEdit) return null;
  return (
    <>
      <div className="flex flex-wrap gap-1">
        {test}
        <button
          type="button"
          className="btn btn-quiet"
          onClick={() => (of.enabled ? setDialog('off') : enable.run())}
        >
          {of.enabled ? 'Switch off' : 'Switch on'}
        </button>
        {edit}
        <button type="button" className="btn btn-quiet" onClick={() => setDialog('recover')}>
          Recover since
        </button>
        <button type="button" className="btn btn-quiet" onClick={() => setDialog('delete')}>
          Delete
        </button>
      </div>
      <div className="col-span-full basis-full empty:hidden" role="status">
        {children}
        <Refusal error={error ?? enable.error} />
      </div>
      <Dialogs of={of} dialog={dialog} close={() => setDialog(null)} onDelete={onDelete} />
    </>
  );
}

function useRefreshOf({ noun }: Receiver) {
  const refresh = useRefresh();
  return async () => {
    await Promise.all([refresh(`${noun}s`), refresh('deliveries')]);
  };
}

function Dialogs({
  of,
  dialog,
  close,
  onDelete,
}: Pick<ReceiverActionsProps, 'of' | 'onDelete'> & { dialog: Shown; close: () => void }) {
  const refresh = useRefreshOf(of);
  const remove = useChange<void, unknown>(
    (client) => of.remove(client),
    async () => {
      onDelete?.();
      await refresh();
    },
  );
  const disable = useChange<void, unknown>(
    (client) => of.setEnabled(client, false),
    async () => {
      close();
      await refresh();
    },
  );
  return (
    <>
      {dialog === 'recover' && <RecoveryDialog of={of} onClose={close} />}
      <Confirm
        title={`Switch off this ${of.noun}?`}
        action="Switch off"
        keep="Keep it on"
        isOpen={dialog === 'off'}
        onClose={close}
        change={disable}
      >
        <p>{lossOf(of.health.waiting)}</p>
        <p>What happens while it is off is not sent later.</p>
      </Confirm>
      <Confirm
        title={`Delete this ${of.noun}?`}
        action={`Delete ${of.noun}`}
        isOpen={dialog === 'delete'}
        onClose={close}
        change={remove}
      >
        <b className="[overflow-wrap:anywhere]">{of.label}</b> gets nothing more, and messages that wait for
        it are dropped. What it has received stays there.
      </Confirm>
    </>
  );
}

function lossOf(waiting: number): string {
  if (waiting === 0) return 'No message waits for it.';
  const what = waiting === 1 ? '1 message waits' : `${waitingText(waiting)} messages wait`;
  return `${what} and will not be sent, unless you send what did not arrive again with “Recover since”.`;
}
