import { exportPerson } from '@generated/sdk.gen.ts';
import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { exportRows } from '../../components/run-export.ts';
import { nameOf, type Person } from './person.ts';

/** Says before the download what it holds, and whom it may be given. */
export function ExportDialog({
  person,
  isOpen,
  onClose,
}: {
  person: Person;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { client } = use(AppContext);
  const { userId, ipAddress } = person;
  const start = () => {
    onClose();
    void exportRows({
      name: 'person.json',
      format: 'json',
      total: null,
      isLarge: false,
      read: async (signal) => {
        const body = {
          ...(userId !== undefined && { userId }),
          ...(ipAddress !== undefined && { ipAddress }),
        };
        const { data } = await exportPerson({ client, body, signal, parseAs: 'stream', throwOnError: true });
        return data as unknown as ReadableStream<Uint8Array>;
      },
    });
  };
  return (
    <Dialog title={`Export ${nameOf(person)}?`} isOpen={isOpen} onClose={onClose}>
      <div className="grid gap-2">
        <p>
          The file holds personal data: keep it where few can read it, and delete it once it is handed over.
        </p>
        <ul className="grid list-disc gap-1 pl-5">
          <li>Did this person ask, or somebody who may ask for them? Have you checked who they are?</li>
          <li>
            At a shared address it has records of unknown people, who may be others. Hand out those with the
            person’s user ID only.
          </li>
          <li>
            Take out <code>id</code>, <code>clickId</code>, <code>installId</code> and <code>openId</code>:
            with these, others can act for the phone.
          </li>
        </ul>
        <p className="meta">The audit log keeps that you exported, and when.</p>
      </div>
      <Actions>
        <button type="button" className="btn" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="btn btn-main" onClick={start}>
          Download as JSON
        </button>
      </Actions>
    </Dialog>
  );
}
