import { setUp } from '../../api/session.ts';
import { Field } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';
import { Door } from './door.tsx';
import { useEntry } from './use-entry.ts';
import { useToken } from './use-token.ts';

/** Makes the first owner, from the address with the token. */
export function Setup() {
  const token = useToken();
  const entry = useEntry((field) =>
    setUp({ token, email: field('email'), name: field('name'), password: field('password') }),
  );
  return (
    <Door title="Set up Throughline">
      {token === '' && (
        <p role="alert" className="text-bad">
          The address has no token. Copy it whole, from <code>first-keys.txt</code> in the data directory.
        </p>
      )}
      <form className="grid gap-4" onSubmit={entry.submit}>
        <Field label="Your name" name="name" autoComplete="name" required />
        <Field label="Email" name="email" type="email" autoComplete="username" required />
        <NewPassword />
        <Refusal error={entry.error} />
        <button
          type="submit"
          className="btn btn-main"
          disabled={token === ''}
          aria-disabled={entry.isRunning}
        >
          Create the first account
        </button>
      </form>
    </Door>
  );
}

export function NewPassword({ label = 'Password' }: { label?: string }) {
  return (
    <Field
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      minLength={10}
      required
      help="At least 10 characters"
    />
  );
}
