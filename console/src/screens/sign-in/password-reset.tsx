import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type ApiError, toApiError } from '../../api/error.ts';
import { requestPasswordReset, resetPassword, signInOptionsQuery } from '../../api/session.ts';
import { Field } from '../../components/field.tsx';
import { Loading, Refusal } from '../../components/pane.tsx';
import { Door } from './door.tsx';
import { NewPassword } from './setup.tsx';
import { useEntry } from './use-entry.ts';
import { useToken } from './use-token.ts';

/** Asks for the mail, or with the token of its address for the password. */
export function PasswordReset() {
  const token = useToken();
  return (
    <Door title="New password">
      {token === '' ? <Ask /> : <Use token={token} />}
      <Link to="/sign-in" className="link justify-self-start">
        Back to the sign-in
      </Link>
    </Door>
  );
}

function Ask() {
  const { data: options } = useQuery(signInOptionsQuery);
  if (options === undefined) return <Loading rows={2} />;
  return options.mail ? <Request /> : <WithoutMail />;
}

function WithoutMail() {
  return (
    <div className="grid gap-2">
      <p>This service sends no mails, so it cannot mail you an address for a new password.</p>
      <p className="text-ink-2">
        Ask an operator of the service: on the page Operator, under Users, <b>New password</b> makes an
        address to pass on to you. It works once, for an hour. Who runs the service and is no operator makes
        one with <code>throughline users setup</code>.
      </p>
    </div>
  );
}

function Request() {
  const [answer, setAnswer] = useState<{ email: string } | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget).get('email'));
    try {
      await requestPasswordReset(email);
      setAnswer({ email });
      setError(null);
    } catch (failure) {
      setError(toApiError(failure));
    }
  };
  return (
    <>
      <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
        <Field label="Email" name="email" type="email" autoComplete="username" required />
        <Refusal error={error} />
        <button type="submit" className="btn btn-main">
          Mail me an address
        </button>
      </form>
      <p role="status" className="text-ink-2 wrap-anywhere">
        {answer !== null &&
          `If an account with a password has the email ${answer.email}, a mail is on its way. Its address works for an hour.`}
      </p>
    </>
  );
}

function Use({ token }: { token: string }) {
  const entry = useEntry((field) => resetPassword({ token, password: field('password') }));
  return (
    <form className="grid gap-4" onSubmit={entry.submit}>
      <NewPassword />
      <Refusal error={entry.error} />
      <button type="submit" className="btn btn-main" aria-disabled={entry.isRunning}>
        Set the password
      </button>
      <p className="meta">All other sessions of the account end.</p>
    </form>
  );
}
