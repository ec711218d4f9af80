import { removeUser, updateUser } from '@generated/sdk.gen.ts';
import type { AppMember } from '@generated/types.gen.ts';
import { useState } from 'react';
import type { Role } from '../../api/session.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Check } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { ROLES } from './roles.ts';

export function MemberRow({ member }: { member: AppMember }) {
  const { name, email, lastUsedAt } = member;
  return (
    <tr>
      <td>{name}</td>
      <td data-name="Email" className="text-ink-2">
        {email}
      </td>
      <td data-name="Role">
        <RoleChoice member={member} />
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

/** A demotion is asked about only where the member made keys. */
function RoleChoice({ member }: { member: AppMember }) {
  const refresh = useRefreshTeam();
  const keys = useKeysChoice(member);
  const [lowerRole, setLowerRole] = useState<Role | null>(null);
  const change = useChange<{ role: Role; revokeKeys?: boolean }, unknown>(
    (client, body) => updateUser({ client, path: { userId: member.id }, body, throwOnError: true }),
    async () => {
      setLowerRole(null);
      await refresh();
    },
  );
  const choose = (role: Role) => {
    if (member.role !== 'owner' || role === 'owner' || !keys.isAsked) return change.run({ role });
    keys.reset();
    setLowerRole(role);
  };
  const demote = () => change.run({ role: lowerRole ?? member.role, revokeKeys: keys.isChosen });
  return (
    <>
      <select
        aria-label={`Role of ${member.name}`}
        className="input w-28"
        value={member.role}
        aria-disabled={change.isRunning}
        onChange={({ target }) => {
          const role = ROLES.find(([each]) => each === target.value)?.[0];
          if (role !== undefined) choose(role);
        }}
      >
        {ROLES.map(([role]) => (
          <option key={role}>{role}</option>
        ))}
      </select>
      {lowerRole === null && <Refusal error={change.error} />}
      <Confirm
        title={`Make ${member.name} ${lowerRole === 'editor' ? 'an editor' : 'a viewer'}?`}
        action="Change role"
        keep="Leave it"
        isOpen={lowerRole !== null}
        onClose={() => setLowerRole(null)}
        change={{ ...change, run: demote }}
      >
        {keys.choice}
      </Confirm>
    </>
  );
}

function Removal({ member }: { member: AppMember }) {
  const refresh = useRefreshTeam();
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
        Remove
      </button>
      <Confirm
        title={`Remove ${member.name}?`}
        action={`Remove ${member.name}`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        change={remove}
      >
        {member.email} sees nothing of this app any more. Links and webhooks that they made stay.
        {keys.choice}
      </Confirm>
    </>
  );
}

/** Keys work on without the member, who may have copied them. */
function useKeysChoice({ name, keys }: AppMember) {
  const [isChosen, setChosen] = useState(true);
  const isAsked = keys.length > 0;
  const choice = isAsked && (
    <Check
      label={`Revoke the keys that ${name} made`}
      help={keys.map(({ hint }) => hint).join(', ')}
      checked={isChosen}
      onChange={() => setChosen(!isChosen)}
    />
  );
  return { isAsked, isChosen: isAsked && isChosen, choice, reset: () => setChosen(true) };
}

function useRefreshTeam() {
  const refresh = useRefresh();
  return async () => {
    await Promise.all([refresh('users'), refresh('invitations'), refresh('keys')]);
  };
}
