import { changePassword } from '@generated/sdk.gen.ts';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Session, signInOptionsQuery } from '../../api/session.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Field } from '../../components/field.tsx';
import { Section } from '../../components/page.tsx';
import { Refusal } from '../../components/pane.tsx';
import { NewPassword } from '../sign-in/setup.tsx';

export function Password({ session }: { session: Session }) {
  return (
    <Section title="Password">
      {session.signIn.password ? <PasswordForm email={session.user.email} /> : <WithoutPassword />}
    </Section>
  );
}

function WithoutPassword() {
  const { data: options } = useQuery(signInOptionsQuery);
  return (
    <p className="pt-3 text-ink-2">
      You sign in {options?.oidc == null ? 'without a password' : `with ${options.oidc.name}`}. The account
      has no password.
    </p>
  );
}

function PasswordForm({ email }: { email: string }) {
  const form = useRef<HTMLFormElement>(null);
  const refresh = useRefresh();
  const [isDone, setDone] = useState(false);
  const change = useChange(
    (client, body: { current: string; next: string }) => changePassword({ client, body, throwOnError: true }),
    async () => {
      form.current?.reset();
      setDone(true);
      await refresh('sessions');
    },
  );
  const isWrong = change.error?.code === 'password.wrong';
  return (
    <form
      ref={form}
      className="grid max-w-[392px] gap-3 pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        setDone(false);
        const fields = new FormData(event.currentTarget);
        change.run({ current: String(fields.get('current')), next: String(fields.get('password')) });
      }}
    >
      <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
      <Field
        label="Current password"
        name="current"
        type="password"
        autoComplete="current-password"
        required
        error={isWrong ? (change.error?.message ?? null) : null}
      />
      <NewPassword label="New password" />
      <Refusal error={isWrong ? null : change.error} />
      <button type="submit" className="btn justify-self-start" aria-disabled={change.isRunning}>
        Change the password
      </button>
      <p role="status" className="text-ink-2">
        {isDone && 'The password is changed. All other sessions have ended.'}
      </p>
    </form>
  );
}
