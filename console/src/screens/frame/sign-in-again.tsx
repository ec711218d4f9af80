import { type FormEvent, useState } from 'react';
import { toApiError } from '../../api/error.ts';
import { resume } from '../../api/expired-session.ts';
import { signIn } from '../../api/session.ts';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';

export function SignInAgain({ email, isOpen }: { email: string; isOpen: boolean }) {
  const [error, setError] = useState<string | null>(null);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get('password'));
    try {
      await signIn({ email, password });
      setError(null);
      resume();
    } catch (failure) {
      setError(toApiError(failure).message);
    }
  };
  return (
    <Dialog title="You were signed out" isOpen={isOpen} canClose={false} onClose={() => undefined}>
      <p>What you wrote is still here. Sign in to go on.</p>
      <form className="grid gap-3" onSubmit={(event) => void submit(event)}>
        <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
        <Field
          label={`Password of ${email}`}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          error={error}
        />
        <Actions>
          <button type="submit" className="btn btn-main">
            Sign in and go on
          </button>
        </Actions>
      </form>
    </Dialog>
  );
}
