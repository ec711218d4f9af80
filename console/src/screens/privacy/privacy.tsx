import { erasePerson, exportPerson, readErasure } from '@generated/sdk.gen.ts';
import type { ErasePerson } from '@generated/types.gen.ts';
import { type FormEvent, useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRead } from '../../api/use-read.ts';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { download } from '../../components/download.ts';
import { Field } from '../../components/field.tsx';
import { Head, Section } from '../../components/page.tsx';
import { NoPermission, Refusal } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';

export function Privacy() {
  return (
    <>
      <Head title="Privacy" />
      {useMay('editor') ? (
        <div className="grid grid-cols-2 gap-x-12 max-wide:grid-cols-1">
          <Export />
          <Erase />
        </div>
      ) : (
        <NoPermission text="Editors and owners handle privacy requests." />
      )}
    </>
  );
}

interface Person {
  readonly userId?: string;
  readonly ipAddress?: string;
}

function personOf(event: FormEvent<HTMLFormElement>): Person {
  event.preventDefault();
  const form = new FormData(event.currentTarget);
  const [userId, ipAddress] = [String(form.get('userId')).trim(), String(form.get('ipAddress')).trim()];
  return { ...(userId !== '' && { userId }), ...(ipAddress !== '' && { ipAddress }) };
}

function PersonFields() {
  return (
    <>
      <Field label="User ID" name="userId" isMono maxLength={255} help="As the app sends it with identify." />
      <Field label="IP address" name="ipAddress" isMono maxLength={64} help="One of both is enough." />
    </>
  );
}

function Export() {
  const change = useChange(
    async (client, body: Person) => (await exportPerson({ client, body, throwOnError: true })).data,
    (records) =>
      download(new Blob([JSON.stringify(records, null, 2)], { type: 'application/json' }), 'person.json'),
  );
  return (
    <Section title="Export a person’s records">
      <form className="grid max-w-[428px] gap-4 pt-4" onSubmit={(event) => change.run(personOf(event))}>
        <PersonFields />
        <Refusal error={change.error} />
        <button type="submit" className="btn btn-main justify-self-start" aria-disabled={change.isRunning}>
          Export as JSON
        </button>
      </form>
    </Section>
  );
}

function Erase() {
  const [person, setPerson] = useState<ErasePerson | null>(null);
  const [requestIds, setRequestIds] = useState<readonly string[]>([]);
  const change = useChange(
    async (client, body: ErasePerson) => (await erasePerson({ client, body, throwOnError: true })).data,
    (accepted) => {
      setRequestIds(accepted.requestIds);
      setPerson(null);
    },
  );
  const name = [person?.userId, person?.ipAddress].filter((text) => text != null).join(' and ');
  return (
    <Section title="Erase a person’s records">
      <form className="grid max-w-[428px] gap-4 pt-4" onSubmit={(event) => setPerson(personOf(event))}>
        <PersonFields />
        <button type="submit" className="btn justify-self-start">
          Erase …
        </button>
      </form>
      <ul className="pt-3">
        {requestIds.map((id) => (
          <Progress key={id} requestId={id} />
        ))}
      </ul>
      <Dialog
        title={`Erase ${name === '' ? 'nobody' : name}?`}
        isOpen={person !== null}
        onClose={() => setPerson(null)}
      >
        <p>
          Their clicks, installs, opens and events lose everything that is about them. Numbers stay. This
          cannot be undone.
        </p>
        <Refusal error={change.error} />
        <Actions>
          <button type="button" className="btn" onClick={() => setPerson(null)}>
            Keep the records
          </button>
          <button
            type="button"
            className="btn btn-danger"
            disabled={name === ''}
            aria-disabled={change.isRunning}
            onClick={() => person !== null && change.run(person)}
          >
            Erase {name}
          </button>
        </Actions>
      </Dialog>
    </Section>
  );
}

const ASK_EVERY_MS = 2_000;

function Progress({ requestId }: { requestId: string }) {
  const { data } = useRead(
    ['erasures', requestId],
    (client, signal) => readErasure({ client, path: { requestId }, signal, throwOnError: true }),
    { refetchMs: ASK_EVERY_MS },
  );
  return (
    <li className="border-b border-line py-1.5" role="status">
      <code>{requestId}</code>{' '}
      {data?.completedAt != null ? (
        <>
          erased <Time at={data.completedAt} />
        </>
      ) : (
        'in progress. You can leave this page.'
      )}
    </li>
  );
}
