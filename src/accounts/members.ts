import { type Actor, authorOf, lockApp, type Role } from '../apps/index.ts';
import { recordChange } from '../audit/index.ts';
import type { Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Member } from './membership-queries.ts';
import * as memberships from './membership-queries.ts';
import { deleteUser, findUser } from './queries.ts';
import type { AccountDeps } from './sign-in.ts';

type Deps = Pick<AccountDeps, 'db' | 'clock' | 'ids'>;

/** @throws AppError `user.not_found`, `user.last_owner`. */
export async function changeRole(
  { db, clock, ids }: Deps,
  { actor, userId, role }: { actor: Actor; userId: string; role: Role },
): Promise<Member> {
  return await db.transaction().execute(async (tx) => {
    const member = await lockMember(tx, actor.appId, userId);
    if (role !== 'owner') await keepAnOwner(tx, actor.appId, member);
    await memberships.updateRole(tx, actor.appId, member.id, role);
    const change = { appId: actor.appId, recordId: member.id, sandbox: 0, about: { role } } as const;
    await recordChange(tx, { clock, ids }, { ...change, action: 'user.role_changed', by: authorOf(actor) });
    return { ...member, role };
  });
}

/**
 * Ends a membership. The account is deleted with the last one, unless it is an operator's.
 * @throws AppError `user.not_found`, `user.last_owner`.
 */
export async function removeMember(
  { db, clock, ids }: Deps,
  { actor, userId }: { actor: Actor; userId: string },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const member = await lockMember(tx, actor.appId, userId);
    await keepAnOwner(tx, actor.appId, member);
    await memberships.deleteMembership(tx, actor.appId, member.id);
    const user = await findUser(tx, member.id);
    if (user?.is_operator === 0 && !(await memberships.isMemberOfAny(tx, member.id)))
      await deleteUser(tx, member.id);
    const change = { appId: actor.appId, recordId: member.id, sandbox: 0 } as const;
    await recordChange(tx, { clock, ids }, { ...change, action: 'user.removed', by: authorOf(actor) });
  });
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
