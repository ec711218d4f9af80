import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { oidcAddress, signIn, signInOptionsQuery } from '../../api/session.ts';
import { Field } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';
import { Door } from './door.tsx';
import { useEntry } from './use-entry.ts';

const route = getRouteApi('/sign-in');

/** Why the provider's sign-in was refused, by the code in the address. */
const REFUSALS: Readonly<Record<string, string>> = {
  'oidc.failed':
    'The sign-in did not succeed. Try again. If it fails again, ask the operator: the log has the reason.',
  'oidc.foreign_domain':
    'Emails of your domain may not sign in here. Use another account, or ask the operator.',
  'oidc.invalid_email': 'Your email has letters that no account can have. Use another account.',
  'oidc.unverified_email': 'The provider has not verified your email. Verify it there, then try again.',
  'oidc.unknown_user': 'Nobody has invited your email. Ask an owner of an app for an invitation.',
};

export function SignIn() {
  const { next, error } = route.useSearch();
  const { data: options } = useQuery(signInOptionsQuery);
  const entry = useEntry((field) => signIn({ email: field('email'), password: field('password') }), next);
  const isWrong = entry.error?.status === 401;
  return (
    <Door title="Sign in to Throughline">
      {error !== undefined && (
        <p role="alert" className="text-bad">
          {REFUSALS[error] ?? REFUSALS['oidc.failed']}
        </p>
      )}
      <form className="grid gap-4" onSubmit={entry.submit}>
        <Field label="Email" name="email" type="email" autoComplete="username" required autoFocus />
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
          Forgot your password?
        </Link>
      </form>
      {options?.oidc != null && (
        <>
          <p className="meta flex items-center gap-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            or
          </p>
          <a className="btn" href={oidcAddress(next)}>
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
