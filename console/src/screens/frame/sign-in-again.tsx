import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { toApiError } from '../../api/error.ts';
import { resume } from '../../api/expired-session.ts';
import { oidcAddress, signIn, signInOptionsQuery } from '../../api/session.ts';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';

const route = getRouteApi('/$appId');

export function SignInAgain({ email, isOpen }: { email: string; isOpen: boolean }) {
  const { signIn: ways } = route.useRouteContext().session;
  return (
    <Dialog title="You were signed out" isOpen={isOpen} canClose={false} onClose={() => undefined}>
      <p>What you wrote is still here. Sign in to go on.</p>
      {ways.password && <PasswordAgain email={email} />}
      {ways.oidc && <ProviderAgain />}
    </Dialog>
  );
}

function PasswordAgain({ email }: { email: string }) {
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
  );
}

/** In another tab, since leaving this page would lose what was written. */
function ProviderAgain() {
  const { data: options } = useQuery(signInOptionsQuery);
  if (options?.oidc == null) return null;
  return (
    <Actions>
      <a className="btn" href={oidcAddress(undefined)} target="_blank" rel="noreferrer">
        Sign in with {options.oidc.name} in a new tab
      </a>
      <button type="button" className="btn btn-main" onClick={resume}>
        I have signed in: go on
      </button>
    </Actions>
  );
}
