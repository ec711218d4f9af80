import { type FormEvent, useState } from 'react';
import { type ApiError, toApiError } from '../../api/error.ts';
import { requestPasswordReset, resetPassword } from '../../api/session.ts';
import { Field } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';
import { Door } from './door.tsx';
import { NewPassword } from './setup.tsx';
import { useEntry } from './use-entry.ts';
import { useToken } from './use-token.ts';

/** Asks for the mail, or with the token of its address for the password. */
export function PasswordReset() {
  const token = useToken();
  return <Door title="New password">{token === '' ? <Request /> : <Use token={token} />}</Door>;
}

function Request() {
  const [answer, setAnswer] = useState<{ email: string; mailed: boolean } | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget).get('email'));
    try {
      setAnswer({ email, ...(await requestPasswordReset(email)) });
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
      <p role="status" className="text-ink-2">
        {answer !== null &&
          (answer.mailed
            ? `If an account with a password has the email ${answer.email}, a mail is on its way. Its address works for an hour.`
            : 'This service sends no mails. An operator of the service can make an address for you.')}
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
