import { lockApp } from '../apps/index.ts';
import { type Change, recordChange } from '../audit/index.ts';
import { type Actor, authorOf, type KeyRing, type Role, revokeKeysOf } from '../auth/index.ts';
import type { Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../lib/ids.ts';
import { findManager } from './authors.ts';
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
  { role, ...change }: MemberChange & { role: Role },
): Promise<Member> {
  const member = await changeMember(deps, change, async (tx, member) => {
    const { appId } = change.actor;
    if (role !== 'owner') await keepAnOwner(tx, appId, member);
    await memberships.updateRole(tx, appId, member.id, role);
    const changes: NonNullable<Change['changes']> =
      member.role === role ? {} : { role: { from: member.role, to: role } };
    return { action: 'user.role_changed', about: { role }, changes };
  });
  return { ...member, role };
}

/**
 * Ends a membership. The account is deleted with the last one, unless it is an operator's.
 * @throws AppError `user.not_found`, `user.last_owner`.
 */
export async function removeMember(deps: Deps, change: MemberChange): Promise<void> {
  await changeMember(deps, change, async (tx, member) => {
    await endMembership(tx, change.actor.appId, member);
    await deleteWithoutApp(tx, member.id);
    return { action: 'user.removed' };
  });
}

/** The app is locked. @throws AppError `user.last_owner`. */
export async function endMembership(
  tx: Transaction,
  appId: string,
  member: Pick<Member, 'id' | 'role'>,
): Promise<void> {
  await keepAnOwner(tx, appId, member);
  await lockUser(tx, member.id);
  await memberships.deleteMembership(tx, appId, member.id);
}

/** Deletes an account whose last membership has ended, unless it is an operator's. */
export async function deleteWithoutApp(tx: Transaction, userId: string): Promise<void> {
  const user = await findUser(tx, userId);
  if (user?.is_operator === 0 && !(await memberships.isMemberOfAny(tx, userId))) await deleteUser(tx, userId);
}

/** Records the change, and revokes the member's keys with it. @param write says what it did. */
async function changeMember(
  { db, clock, ids, keyRing }: Deps,
  { actor, userId, revokeKeys }: MemberChange,
  write: (tx: Transaction, member: Member) => Promise<Pick<Change, 'action' | 'about' | 'changes'>>,
): Promise<Member> {
  const [appId, by] = [actor.appId, authorOf(actor)];
  const { member, revoked } = await db.transaction().execute(async (tx) => {
    const member = await lockMember(tx, { actor, userId });
    const did = await write(tx, member);
    const about = { email: member.email, ...did.about };
    await recordChange(tx, { clock, ids }, { ...did, about, appId, recordId: member.id, sandbox: 0, by });
    const keysOf = { appId, userId: member.id, by };
    return { member, revoked: revokeKeys ? await revokeKeysOf(tx, { clock, ids }, keysOf) : [] };
  });
  for (const { hash } of revoked) keyRing.forget(hash);
  return member;
}

/** The lock is held until the commit, so that two owners cannot remove each other. */
async function lockMember(
  tx: Transaction,
  { actor: { appId, user }, userId }: Pick<MemberChange, 'actor' | 'userId'>,
): Promise<Member> {
  await lockApp(tx, appId);
  // Another owner may have been faster.
  if (user !== undefined && (await findManager(tx, appId, user.id)) === null)
    throw new AppError('role.too_low');
  const id = userId.toLowerCase();
  const member = isUuid(userId)
    ? (await memberships.listMembers(tx, appId)).find((one) => one.id === id)
    : undefined;
  if (member === undefined) throw new AppError('user.not_found');
  return member;
}

async function keepAnOwner(tx: Transaction, appId: string, { role }: Pick<Member, 'role'>): Promise<void> {
  if (role === 'owner' && (await memberships.countOwners(tx, appId)) === 1)
    throw new AppError('user.last_owner');
}
