import type { Role } from '../auth/index.ts';
import type { Db, InvitationsTable, MembershipsTable, Transaction } from '../db/index.ts';

/** An app that a user may see, and the user's role in it. */
export interface AppOfUser {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

export interface Member {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly last_used_at: string | null;
}

export async function listAppsOfUser(db: Db, userId: string): Promise<AppOfUser[]> {
  return await db
    .selectFrom('memberships')
    .innerJoin('apps', 'apps.id', 'memberships.app_id')
    .select(['apps.id', 'apps.name', 'memberships.role'])
    .where('memberships.user_id', '=', userId)
    .orderBy('apps.id', 'desc')
    .$narrowType<{ role: Role }>()
    .execute();
}

export async function listAppsWithoutOwner(tx: Transaction): Promise<string[]> {
  const apps = await tx
    .selectFrom('apps')
    .select('id')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships')
            .select('user_id')
            .whereRef('memberships.app_id', '=', 'apps.id')
            .where('role', '=', 'owner'),
        ),
      ),
    )
    .execute();
  return apps.map(({ id }) => id);
}

/** By name of the user's email. */
export async function listMembers(db: Db, appId: string): Promise<Member[]> {
  return await db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.email', 'users.name', 'memberships.role', 'users.last_used_at'])
    .where('memberships.app_id', '=', appId)
    .orderBy('users.email')
    .$narrowType<{ role: Role }>()
    .execute();
}

/** Emails of an app's owners; of the operators, who are owners of every app, if it has none. */
export async function listOwnerEmails(db: Db, appId: string): Promise<string[]> {
  const owners = (await listMembers(db, appId)).filter(({ role }) => role === 'owner');
  if (owners.length > 0) return owners.map(({ email }) => email);
  const operators = await db
    .selectFrom('users')
    .select('email')
    .where('is_operator', '=', 1)
    .where('disabled_at', 'is', null)
    .orderBy('email')
    .execute();
  return operators.map(({ email }) => email);
}

/** Replaces the role of a member. */
export async function upsertMembership(tx: Transaction, membership: MembershipsTable): Promise<void> {
  await tx
    .insertInto('memberships')
    .values(membership)
    .onConflict((conflict) => conflict.columns(['app_id', 'user_id']).doUpdateSet({ role: membership.role }))
    .execute();
}

export async function updateRole(tx: Transaction, appId: string, userId: string, role: Role): Promise<void> {
  await tx
    .updateTable('memberships')
    .set({ role })
    .where('app_id', '=', appId)
    .where('user_id', '=', userId)
    .execute();
}

export async function deleteMembership(tx: Transaction, appId: string, userId: string): Promise<void> {
  await tx.deleteFrom('memberships').where('app_id', '=', appId).where('user_id', '=', userId).execute();
}

export async function countOwners(tx: Transaction, appId: string): Promise<number> {
  const owners = await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('app_id', '=', appId)
    .where('role', '=', 'owner')
    .execute();
  return owners.length;
}

export async function isMemberOfAny(tx: Transaction, userId: string): Promise<boolean> {
  const member = await tx
    .selectFrom('memberships')
    .select('app_id')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst();
  return member !== undefined;
}

/** Newest first. */
export async function listInvitations(db: Db, appId: string, madeAfter: string): Promise<InvitationsTable[]> {
  return await db
    .selectFrom('invitations')
    .selectAll()
    .where('app_id', '=', appId)
    .where('created_at', '>', madeAfter)
    .orderBy('id', 'desc')
    .execute();
}

/** Open ones of other addresses than the invitation's. */
export async function countInvitations(
  tx: Transaction,
  { app_id: appId, email }: InvitationsTable,
  madeAfter: string,
): Promise<number> {
  const { count } = await tx
    .selectFrom('invitations')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('app_id', '=', appId)
    .where('email', '<>', email)
    .where('created_at', '>', madeAfter)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Replaces the invitation of the same address. */
export async function upsertInvitation(tx: Transaction, invitation: InvitationsTable): Promise<void> {
  const { app_id: _app, email: _email, ...changes } = invitation;
  await tx
    .insertInto('invitations')
    .values(invitation)
    .onConflict((conflict) => conflict.columns(['app_id', 'email']).doUpdateSet(changes))
    .execute();
}

export async function findInvitation(
  db: Db,
  tokenHash: string,
  madeAfter: string,
): Promise<InvitationsTable | undefined> {
  return await db
    .selectFrom('invitations')
    .selectAll()
    .where(({ eb, or }) => or([eb('token_hash', '=', tokenHash), eb('mailed_token_hash', '=', tokenHash)]))
    .where('created_at', '>', madeAfter)
    .executeTakeFirst();
}

/** Of all apps, in the order in which to lock these. */
export async function listInvitationsOfEmail(
  db: Db,
  email: string,
  madeAfter: string,
): Promise<InvitationsTable[]> {
  return await db
    .selectFrom('invitations')
    .selectAll()
    .where('email', '=', email)
    .where('created_at', '>', madeAfter)
    .orderBy('app_id')
    .execute();
}

/** @returns its email; null if there is none. */
export async function deleteInvitation(db: Db, appId: string, invitationId: string): Promise<string | null> {
  const deleted = await db
    .deleteFrom('invitations')
    .where('app_id', '=', appId)
    .where('id', '=', invitationId)
    .returning('email')
    .executeTakeFirst();
  return deleted?.email ?? null;
}

/** Of all apps. @returns the number deleted. */
export async function deleteExpiredInvitations(db: Db, madeBefore: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('invitations')
    .where('created_at', '<=', madeBefore)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
