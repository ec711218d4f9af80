import { createInvitation } from '@generated/sdk.gen.ts';
import type { NewInvitation } from '@generated/types.gen.ts';
import { use, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import type { Role } from '../../api/session.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Choice, Field } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';
import { ROLES, wordsOf } from './roles.ts';

/** Where the service sends no mail, the address that it makes is for the owner to send. */
export function Invite() {
  const refresh = useRefresh();
  const { app } = use(AppContext);
  const [role, setRole] = useState<Role>('viewer');
  const [made, setMade] = useState<NewInvitation | null>(null);
  const change = useChange(
    async (client, body: { email: string; role: Role }) =>
      (await createInvitation({ client, body, throwOnError: true })).data,
    async (invitation) => {
      setMade(invitation);
      await refresh('invitations');
    },
  );
  return (
    <form
      className="grid max-w-[560px] gap-3 pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        change.run({ email: String(form.get('email')), role });
      }}
    >
      <Field label="Email" name="email" type="email" required autoComplete="off" />
      <Choice
        label="Role"
        name="role"
        options={ROLES.map(({ role, name }) => [role, name] as const)}
        value={role}
        onChange={({ target }) => setRole(ROLES.find((each) => each.role === target.value)?.role ?? 'viewer')}
        help={wordsOf(role).may}
      />
      <Refusal error={change.error} />
      <button type="submit" className="btn btn-main justify-self-start" aria-disabled={change.isRunning}>
        Make invitation
      </button>
      {made !== null && (
        <div className="note" role="status">
          <b>{made.mailed ? 'Mailed' : 'Send it now'}</b>
          <div className="min-w-0">
            <p>
              {made.mailed
                ? `The invitation to ${app.name} as ${wordsOf(made.role).one} is on its way to ${made.email}. Should it not arrive, send this address, which is shown this once.`
                : `The service mailed nothing. This address is shown this once. It lets ${made.email} into ${app.name} as ${wordsOf(made.role).one}.`}
            </p>
            <p className="flex flex-wrap items-center gap-2 pt-1">
              <code className="break-all">{made.url}</code> <CopyButton text={made.url} />
            </p>
          </div>
        </div>
      )}
    </form>
  );
}
