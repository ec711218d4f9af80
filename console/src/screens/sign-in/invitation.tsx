import type { OpenedInvitation } from '@generated/types.gen.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { toApiError } from '../../api/error.ts';
import {
  acceptInvitation,
  oidcAddress,
  readInvitation,
  type Session,
  sessionQuery,
  signInOptionsQuery,
  signOut,
} from '../../api/session.ts';
import { Field } from '../../components/field.tsx';
import { Loading, Refusal } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { wordsOf } from '../team/roles.ts';
import { Door } from './door.tsx';
import { NewPassword } from './setup.tsx';
import { useEntry } from './use-entry.ts';
import { keepInvitation, useInvitationToken } from './use-token.ts';

const PAGE = '/invitation';

export function Invitation() {
  const token = useInvitationToken();
  return (
    <Door title="Join an app">
      {token === '' ? (
        <p role="alert">The address has no token. Copy it whole from the invitation.</p>
      ) : (
        <Opened token={token} />
      )}
    </Door>
  );
}

function Opened({ token }: { token: string }) {
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => readInvitation(token),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: session } = useQuery(sessionQuery);
  if (invitation.error !== null) return <Refusal error={toApiError(invitation.error)} />;
  if (invitation.data === undefined || session === undefined) return <Loading rows={3} />;
  const { data } = invitation;
  const isOther = session !== null && session.user.email !== data.email;
  return (
    <>
      <Words invitation={data} />
      {isOther ? (
        <OtherUser session={session} email={data.email} />
      ) : session === null && data.hasAccount ? (
        <SignInFirst token={token} email={data.email} />
      ) : (
        <Accept token={token} invitation={data} isNew={session === null} />
      )}
    </>
  );
}

/** The names are the choice of other people, so each keeps its direction of writing. */
function Words({
  invitation: { appName, email, role, inviter, expiresAt },
}: {
  invitation: OpenedInvitation;
}) {
  const words = wordsOf(role);
  return (
    <div className="grid gap-2 wrap-anywhere">
      <p>
        <bdi>{inviter.name}</bdi> (<bdi>{inviter.email}</bdi>) invites <b>{email}</b> to{' '}
        <b>
          <bdi>{appName}</bdi>
        </b>{' '}
        as {words.one}.
      </p>
      <p className="text-ink-2">
        {words.name}: {words.may}
      </p>
      <p className="meta">
        The invitation ends <Time at={expiresAt} seconds={false} />.
      </p>
    </div>
  );
}

function Accept({
  token,
  invitation: { email },
  isNew,
}: {
  token: string;
  invitation: OpenedInvitation;
  isNew: boolean;
}) {
  const entry = useEntry(async (field) => {
    const names = isNew ? { name: field('name'), password: field('password') } : {};
    const session = await acceptInvitation({ token, ...names });
    keepInvitation(null);
    return session;
  });
  return (
    <>
      <form className="grid gap-4" onSubmit={entry.submit}>
        {isNew && (
          <>
            <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
            <Field label="Your name" name="name" autoComplete="name" required />
            <NewPassword />
          </>
        )}
        <Refusal error={entry.error} />
        <button type="submit" className="btn btn-main" aria-disabled={entry.isRunning}>
          Accept the invitation
        </button>
      </form>
      {isNew && <WithProvider />}
    </>
  );
}

/** The provider proves the email, and so accepts the invitation. */
function WithProvider() {
  const { data: options } = useQuery(signInOptionsQuery);
  if (options?.oidc == null) return null;
  return (
    <a className="btn" href={oidcAddress(undefined)}>
      Continue with {options.oidc.name}
    </a>
  );
}

function SignInFirst({ token, email }: { token: string; email: string }) {
  return (
    <Note text={`${email} has an account here.`}>
      <Link
        to="/sign-in"
        search={{ next: PAGE }}
        className="btn btn-main"
        onClick={() => keepInvitation(token)}
      >
        Sign in to accept
      </Link>
    </Note>
  );
}

function OtherUser({ session, email }: { session: Session; email: string }) {
  const queries = useQueryClient();
  const leave = async () => {
    await signOut();
    queries.setQueryData(sessionQuery.queryKey, null);
  };
  return (
    <Note text={`You are signed in as ${session.user.email}, and the invitation is for ${email}.`}>
      <button type="button" className="btn btn-main" onClick={() => void leave()}>
        Sign out to accept
      </button>
    </Note>
  );
}

function Note({ text, children }: { text: string; children: ReactNode }) {
  return (
    <div className="grid gap-3">
      <p className="wrap-anywhere">{text}</p>
      {children}
    </div>
  );
}
