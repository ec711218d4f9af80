import { findRole, mayAct } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import type { UserRow } from './account.ts';
import { findUser } from './queries.ts';

/** The user, as an owner of the app or an operator; null for anybody else. Invites people, and changes members. */
export async function findManager(db: Db, appId: string, userId: string | null): Promise<UserRow | null> {
  const user = userId === null ? undefined : await findUser(db, userId);
  if (user === undefined || user.disabled_at !== null) return null;
  if (isOperator(user)) return user;
  const role = await findRole(db, appId, user.id);
  return role !== null && mayAct(role, 'owner') ? user : null;
}

/** Whether the author of a set-up address or of one for a new password still may; null is the admin token, or a mail. */
export async function mayStillOperate(db: Db, userId: string | null): Promise<boolean> {
  return userId === null || isOperator(await findUser(db, userId));
}

function isOperator(user: UserRow | undefined): boolean {
  return user?.is_operator === 1 && user.disabled_at === null;
}
