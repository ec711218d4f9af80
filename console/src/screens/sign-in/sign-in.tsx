import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { SERVICE_URL } from '../../api/client.ts';
import { signIn, signInOptionsQuery } from '../../api/session.ts';
import { Field } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';
import { Door } from './door.tsx';
import { useEntry } from './use-entry.ts';

const route = getRouteApi('/sign-in');

export function SignIn() {
  const { next } = route.useSearch();
  const { data: options } = useQuery(signInOptionsQuery);
  const entry = useEntry((field) => signIn({ email: field('email'), password: field('password') }), next);
  const isWrong = entry.error?.status === 401;
  return (
    <Door title="Sign in to Throughline">
      <form className="grid gap-4" onSubmit={entry.submit}>
        <Field label="Email" name="email" type="email" autoComplete="username" required />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          error={isWrong ? entry.error?.message : null}
        />
        <Refusal error={isWrong ? null : entry.error} />
        <button type="submit" className="btn btn-main" aria-disabled={entry.isRunning}>
          Sign in
        </button>
        <Link to="/password-reset" className="link justify-self-start">
          New password
        </Link>
      </form>
      {options?.oidc != null && (
        <>
          <p className="meta flex items-center gap-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            or
          </p>
          <a className="btn" href={`${SERVICE_URL}v1/session/oidc`}>
            Continue with {options.oidc.name}
          </a>
        </>
      )}
      <p className="meta">
        {options?.setupNeeded === true
          ? 'This service has no user yet. Open the set-up address that the service printed with its first keys.'
          : 'No account? An owner of an app can invite you.'}
      </p>
    </Door>
  );
}
