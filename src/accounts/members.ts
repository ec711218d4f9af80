import { lockApp } from '../apps/index.ts';
import { recordChange } from '../audit/index.ts';
import { type Actor, authorOf, type KeyRing, type Role, revokeKeysOf } from '../auth/index.ts';
import type { Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Member } from './membership-queries.ts';
import * as memberships from './membership-queries.ts';
import { deleteUser, findUser, lockUser } from './queries.ts';
import type { AccountDeps } from './sign-in.ts';

type Deps = Pick<AccountDeps, 'db' | 'clock' | 'ids'> & { readonly keyRing: KeyRing };

interface MemberChange {
  readonly actor: Actor;
  readonly userId: string;
  /** Whether the keys that the member made for the app are revoked, too. */
  readonly revokeKeys: boolean;
}

/** @throws AppError `user.not_found`, `user.last_owner`. */
export async function changeRole(
  deps: Deps,
  { actor, userId, revokeKeys, role }: MemberChange & { role: Role },
): Promise<Member> {
  const { db, clock, ids } = deps;
  const { member, revoked } = await db.transaction().execute(async (tx) => {
    const member = await lockMember(tx, actor.appId, userId);
    if (role !== 'owner') await keepAnOwner(tx, actor.appId, member);
    await memberships.updateRole(tx, actor.appId, member.id, role);
    const change = { appId: actor.appId, recordId: member.id, sandbox: 0, about: { role } } as const;
    await recordChange(tx, { clock, ids }, { ...change, action: 'user.role_changed', by: authorOf(actor) });
    return { member, revoked: revokeKeys ? await revokeKeysOf(tx, deps, revocation(actor, member)) : [] };
  });
  for (const { hash } of revoked) deps.keyRing.forget(hash);
  return { ...member, role };
}

function revocation(actor: Actor, member: Member) {
  return { appId: actor.appId, userId: member.id, by: authorOf(actor) };
}

/**
 * Ends a membership. The account is deleted with the last one, unless it is an operator's.
 * @throws AppError `user.not_found`, `user.last_owner`.
 */
export async function removeMember(deps: Deps, { actor, userId, revokeKeys }: MemberChange): Promise<void> {
  const { db, clock, ids, keyRing } = deps;
  const revoked = await db.transaction().execute(async (tx) => {
    const member = await lockMember(tx, actor.appId, userId);
    await keepAnOwner(tx, actor.appId, member);
    await lockUser(tx, member.id);
    await memberships.deleteMembership(tx, actor.appId, member.id);
    const user = await findUser(tx, member.id);
    if (user?.is_operator === 0 && !(await memberships.isMemberOfAny(tx, member.id)))
      await deleteUser(tx, member.id);
    const change = { appId: actor.appId, recordId: member.id, sandbox: 0 } as const;
    await recordChange(tx, { clock, ids }, { ...change, action: 'user.removed', by: authorOf(actor) });
    return revokeKeys ? await revokeKeysOf(tx, deps, revocation(actor, member)) : [];
  });
  for (const { hash } of revoked) keyRing.forget(hash);
}

/** The lock is held until the commit, so that two owners cannot remove each other. */
async function lockMember(tx: Transaction, appId: string, userId: string): Promise<Member> {
  await lockApp(tx, appId);
  const id = userId.toLowerCase();
  const member = isUuid(userId)
    ? (await memberships.listMembers(tx, appId)).find((one) => one.id === id)
    : undefined;
  if (member === undefined) throw new AppError('user.not_found');
  return member;
}

async function keepAnOwner(tx: Transaction, appId: string, { role }: Member): Promise<void> {
  if (role === 'owner' && (await memberships.countOwners(tx, appId)) === 1)
    throw new AppError('user.last_owner');
}
