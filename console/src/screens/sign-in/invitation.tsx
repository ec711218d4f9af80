import { useQuery } from '@tanstack/react-query';
import { acceptInvitation, sessionQuery } from '../../api/session.ts';
import { Field } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';
import { Door } from './door.tsx';
import { NewPassword } from './setup.tsx';
import { useEntry } from './use-entry.ts';
import { useToken } from './use-token.ts';

export function Invitation() {
  const token = useToken();
  const { data: session } = useQuery(sessionQuery);
  const isSignedIn = session !== null && session !== undefined;
  const entry = useEntry((field) =>
    acceptInvitation(isSignedIn ? { token } : { token, name: field('name'), password: field('password') }),
  );
  return (
    <Door title="Join an app">
      <form className="grid gap-4" onSubmit={entry.submit}>
        {isSignedIn ? (
          <p>
            You are signed in as <b>{session.user.email}</b>.
          </p>
        ) : (
          <>
            <Field label="Your name" name="name" autoComplete="name" required />
            <NewPassword />
          </>
        )}
        <Refusal error={entry.error} />
        <button
          type="submit"
          className="btn btn-main"
          disabled={token === ''}
          aria-disabled={entry.isRunning}
        >
          Accept the invitation
        </button>
      </form>
      <p className="meta">
        {token === ''
          ? 'The address has no token. Copy it whole from the invitation.'
          : 'If you have an account, sign in first, then open this address again.'}
      </p>
    </Door>
  );
}
