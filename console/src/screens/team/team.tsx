import { listInvitations, listUsers, revokeInvitation } from '@generated/sdk.gen.ts';
import type { Invitation } from '@generated/types.gen.ts';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../api/app-context.ts';
import { signInOptionsQuery } from '../../api/session.ts';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { Empty, Head, Section } from '../../components/page.tsx';
import { NoPermission, Pane, Refusal } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { Invite } from './invite.tsx';
import { MemberRow } from './member-row.tsx';

export function Team() {
  const isOwner = useMay('owner');
  return (
    <>
      <Head title="Team" />
      {isOwner ? (
        <>
          <Members />
          <Section title="Invitations">
            <Invite />
            <Invitations />
          </Section>
          <SignIn />
        </>
      ) : (
        <NoPermission text="Its owners see the team." />
      )}
    </>
  );
}

/** The ways that members sign in, of which the operator decides. */
function SignIn() {
  const { data: options } = useQuery(signInOptionsQuery);
  if (options === undefined) return null;
  return (
    <Section title="Sign-in">
      <p className="pt-3 text-ink-2">
        {options.oidc === null ? (
          <>
            With a password. To sign in by OpenID Connect, the operator sets <code>OIDC_ISSUER</code>.
          </>
        ) : (
          `With a password, or with ${options.oidc.name} by OpenID Connect.`
        )}
      </p>
    </Section>
  );
}

function Members() {
  const read = useRead(['users'], (client, signal) => listUsers({ client, signal, throwOnError: true }));
  return (
    <div className="mt-2 border-t border-line">
      <Pane read={read} rows={3}>
        {(members) =>
          members.length === 0 ? (
            <Empty title="No members yet">
              <p className="text-ink-2">Invite the first one below. You see this app as the operator.</p>
            </Empty>
          ) : (
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Email</th>
                  <th scope="col">Role</th>
                  <th scope="col">Last here</th>
                  <th scope="col" className="num">
                    <span className="sr-only">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {members.map((member) => (
                  <MemberRow key={member.id} member={member} />
                ))}
              </tbody>
            </table>
          )
        }
      </Pane>
    </div>
  );
}

function Invitations() {
  const read = useRead(['invitations'], (client, signal) =>
    listInvitations({ client, signal, throwOnError: true }),
  );
  return (
    <Pane read={read} rows={1}>
      {(invitations) =>
        invitations.length === 0 ? (
          <p className="meta pt-3">Nobody is invited at the moment.</p>
        ) : (
          <ul className="pt-2">
            {invitations.map((invitation) => (
              <InvitationRow key={invitation.id} invitation={invitation} />
            ))}
          </ul>
        )
      }
    </Pane>
  );
}

function InvitationRow({ invitation: { id, email, role, inviter, expiresAt } }: { invitation: Invitation }) {
  const refresh = useRefresh();
  const revoke = useChange<void, unknown>(
    (client) => revokeInvitation({ client, path: { invitationId: id }, throwOnError: true }),
    () => refresh('invitations'),
  );
  return (
    <li className="flex flex-wrap items-center gap-x-4 border-b border-line py-1.5">
      <span className="min-w-0 wrap-anywhere">{email}</span>
      <span className="text-ink-2">{role}</span>
      <span className="meta min-w-0 wrap-anywhere">
        by {inviter.name} ({inviter.email}), until <Time at={expiresAt} seconds={false} />
      </span>
      <button
        type="button"
        className="link ml-auto"
        aria-disabled={revoke.isRunning}
        onClick={() => revoke.run()}
      >
        Take back<span className="sr-only"> the invitation of {email}</span>
      </button>
      <Refusal error={revoke.error} />
    </li>
  );
}
