import { updateUser } from '@generated/sdk.gen.ts';
import type { AppMember } from '@generated/types.gen.ts';
import { use, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import type { Role } from '../../api/session.ts';
import { useChange } from '../../api/use-change.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Caret, Menu, MenuItem } from '../../components/menu.tsx';
import { useKeysChoice } from './keys-choice.tsx';
import { differenceOf, ROLES, wordsOf } from './roles.ts';
import { useRefreshTeam } from './use-refresh-team.ts';

/** Picks a role, and changes it only once that is confirmed. */
export function RoleMenu({ member }: { member: AppMember }) {
  const [asked, setAsked] = useState<Role | null>(null);
  const keys = useKeysChoice(member);
  const { name, role } = member;
  return (
    <>
      <Menu
        label={`Role of ${name}: ${role}`}
        className="btn w-28 justify-between"
        trigger={
          <>
            {role} <Caret />
          </>
        }
      >
        {ROLES.map((each) => (
          <MenuItem
            key={each.role}
            onSelect={() => {
              if (each.role === role) return;
              keys.reset();
              setAsked(each.role);
            }}
          >
            <span className="max-w-[38ch]">
              {each.name}
              <span className="meta block">{each.may}</span>
            </span>
            <span>{each.role === role && '✓'}</span>
          </MenuItem>
        ))}
      </Menu>
      <RoleChange member={member} asked={asked} keys={keys} onClose={() => setAsked(null)} />
    </>
  );
}

function RoleChange({
  member,
  asked,
  keys,
  onClose,
}: {
  member: AppMember;
  asked: Role | null;
  keys: ReturnType<typeof useKeysChoice>;
  onClose: () => void;
}) {
  const { user } = use(AppContext);
  const refresh = useRefreshTeam(member);
  const role = asked ?? member.role;
  const { gains, losses } = differenceOf(member.role, role);
  const mayAsk = losses.length > 0 && keys.isAsked;
  const change = useChange<void, unknown>(
    (client) =>
      updateUser({
        client,
        path: { userId: member.id },
        body: { role, ...(mayAsk && { revokeKeys: keys.isChosen }) },
        throwOnError: true,
      }),
    async () => {
      onClose();
      await refresh();
    },
  );
  const isSelf = member.id === user.id;
  return (
    <Confirm
      title={isSelf ? `Become ${wordsOf(role).one}?` : `Make ${member.name} ${wordsOf(role).one}?`}
      action={`Make ${wordsOf(role).one}`}
      keep="Leave it"
      isLoss={losses.length > 0}
      isOpen={asked !== null}
      onClose={() => {
        change.reset();
        onClose();
      }}
      change={change}
    >
      <Acts who={isSelf ? 'You' : member.email} may="may then also" acts={gains} />
      <Acts who={isSelf ? 'You' : member.email} may="may then no longer" acts={losses} />
      {isSelf && losses.length > 0 && <p>Another owner has to give the role back to you.</p>}
      {mayAsk && keys.choice}
    </Confirm>
  );
}

function Acts({ who, may, acts }: { who: string; may: string; acts: readonly string[] }) {
  if (acts.length === 0) return null;
  return (
    <>
      <p className="wrap-anywhere">
        {who} {may}:
      </p>
      <ul className="list-disc pl-5">
        {acts.map((act) => (
          <li key={act}>{act}</li>
        ))}
      </ul>
    </>
  );
}
