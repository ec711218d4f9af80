import { findRole, mayAct } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import type { UserRow } from './account.ts';
import { findUser } from './queries.ts';

/** Whether the author of an invitation is still an owner of the app, or an operator. */
export async function mayStillInvite(
  db: Db,
  { app_id: appId, made_by: userId }: { app_id: string; made_by: string | null },
): Promise<boolean> {
  if (userId === null) return false;
  const role = await findRole(db, appId, userId);
  return (role !== null && mayAct(role, 'owner')) || isOperator(await findUser(db, userId));
}

/** Whether the author of a set-up address or of one for a new password still may; null is the admin token, or a mail. */
export async function mayStillOperate(db: Db, userId: string | null): Promise<boolean> {
  return userId === null || isOperator(await findUser(db, userId));
}

function isOperator(user: UserRow | undefined): boolean {
  return user?.is_operator === 1;
}
