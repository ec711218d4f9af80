import { removeUser } from '@generated/sdk.gen.ts';
import type { AppMember } from '@generated/types.gen.ts';
import { use, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Time } from '../../components/time.tsx';
import { useKeysChoice } from './keys-choice.tsx';
import { RoleMenu } from './role-menu.tsx';
import { useRefreshTeam } from './use-refresh-team.ts';

export function MemberRow({ member }: { member: AppMember }) {
  const { id, name, email, lastUsedAt } = member;
  const { user } = use(AppContext);
  return (
    <tr>
      <td>
        {name}
        {id === user.id && <span className="text-ink-3"> (you)</span>}
      </td>
      <td data-name="Email" className="text-ink-2">
        {email}
      </td>
      <td data-name="Role">
        <RoleMenu member={member} />
      </td>
      <td data-name="Last here" className="text-ink-2">
        {lastUsedAt === null ? 'never' : <Time at={lastUsedAt} seconds={false} />}
      </td>
      <td className="num">
        <Removal member={member} />
      </td>
    </tr>
  );
}

function Removal({ member }: { member: AppMember }) {
  const { app } = use(AppContext);
  const refresh = useRefreshTeam(member);
  const keys = useKeysChoice(member);
  const [isOpen, setOpen] = useState(false);
  const remove = useChange<void, unknown>(
    (client) =>
      removeUser({
        client,
        path: { userId: member.id },
        query: { revokeKeys: keys.isChosen },
        throwOnError: true,
      }),
    refresh,
  );
  return (
    <>
      <button
        type="button"
        className="link"
        onClick={() => {
          keys.reset();
          setOpen(true);
        }}
      >
        Remove<span className="sr-only">: {member.name}</span>
      </button>
      <Confirm
        title={`Remove ${member.name}?`}
        action={`Remove ${member.name}`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        change={remove}
      >
        <p className="wrap-anywhere">
          {member.email} sees nothing of {app.name} any more. Links and webhooks that they made stay;
          invitations that they made end. Without another app, the account is deleted.
        </p>
        {keys.choice}
      </Confirm>
    </>
  );
}
