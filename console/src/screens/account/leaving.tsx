import { deleteAccount, leaveApp } from '@generated/sdk.gen.ts';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useRenewSession } from '../../api/renew-session.ts';
import type { AppOfUser, Session } from '../../api/session.ts';
import { useChange } from '../../api/use-change.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Section } from '../../components/page.tsx';
import { wordsOf } from '../team/roles.ts';

/** An operator sees all apps, member or not, and is removed in the team of one. */
export function Leaving({ session: { user, apps } }: { session: Session }) {
  return (
    <>
      {!user.isOperator && (
        <Section title="Apps">
          <ul className="pt-1">
            {apps.map((app) => (
              <AppRow key={app.id} app={app} isLast={apps.length === 1} />
            ))}
          </ul>
        </Section>
      )}
      <Section title="Delete the account">
        <DeleteAccount email={user.email} />
      </Section>
    </>
  );
}

function AppRow({ app: { id, name, role }, isLast }: { app: AppOfUser; isLast: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const renew = useRenewSession();
  const leave = useChange<void, unknown>(
    (client) => leaveApp({ client, path: { appId: id }, throwOnError: true }),
    async () => {
      setOpen(false);
      await renew();
      await navigate({ to: '/' });
    },
  );
  return (
    <li className="flex flex-wrap items-center gap-x-4 border-b border-line py-1.5">
      <span className="min-w-0 wrap-anywhere">{name}</span>
      <span className="text-ink-2">{role}</span>
      <button type="button" className="link ml-auto" onClick={() => setOpen(true)}>
        Leave<span className="sr-only"> {name}</span>
      </button>
      <Confirm
        title={`Leave ${name}?`}
        action={`Leave ${name}`}
        keep="Stay"
        isOpen={isOpen}
        onClose={() => {
          leave.reset();
          setOpen(false);
        }}
        change={leave}
      >
        <p>
          You are {wordsOf(role).one} of {name}, and then see nothing of it any more. What you made stays,
          keys too.
        </p>
        {isLast && <p>It is your last app, so the account is deleted with it.</p>}
      </Confirm>
    </li>
  );
}

function DeleteAccount({ email }: { email: string }) {
  const [isOpen, setOpen] = useState(false);
  const renew = useRenewSession();
  const change = useChange<void, unknown>((client) => deleteAccount({ client, throwOnError: true }), renew);
  return (
    <div className="grid justify-items-start gap-3 pt-3">
      <p className="text-ink-2">
        Deletes your name, email, password and sessions, and ends every membership. Links, webhooks and keys
        that you made stay; the audit log keeps your email. The only owner of an app makes another member an
        owner first.
      </p>
      <button type="button" className="btn" onClick={() => setOpen(true)}>
        Delete the account
      </button>
      <Confirm
        title={`Delete the account of ${email}?`}
        action="Delete the account"
        isOpen={isOpen}
        onClose={() => {
          change.reset();
          setOpen(false);
        }}
        change={change}
      >
        It cannot be brought back. To return, somebody has to invite you again.
      </Confirm>
    </div>
  );
}
