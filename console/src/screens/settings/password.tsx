import { changePassword } from '@generated/sdk.gen.ts';
import type { ChangePassword } from '@generated/types.gen.ts';
import { useState } from 'react';
import { account } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { Field } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';

export function Password() {
  const [isChanged, setChanged] = useState(false);
  const change = useChange<ChangePassword, unknown>(
    (_client, body) => changePassword({ client: account, body, throwOnError: true }),
    () => setChanged(true),
  );
  return (
    <form
      className="grid max-w-[428px] gap-4 pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        change.run({ current: String(form.get('current')), next: String(form.get('next')) });
      }}
    >
      <Field
        label="Present password"
        name="current"
        type="password"
        autoComplete="current-password"
        required
      />
      <Field
        label="New password"
        name="next"
        type="password"
        autoComplete="new-password"
        minLength={10}
        required
        help="At least 10 characters. Your other sessions end."
      />
      <Refusal error={change.error} />
      <button type="submit" className="btn justify-self-start" aria-disabled={change.isRunning}>
        Change password
      </button>
      <span role="status" className="meta">
        {isChanged && 'Changed.'}
      </span>
    </form>
  );
}
