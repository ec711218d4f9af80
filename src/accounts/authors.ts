import { findRole, mayAct } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import type { UserRow } from './account.ts';
import { findUser } from './queries.ts';

/** The author of an invitation; null for one who is no owner of the app any more, and no operator. */
export async function inviterOf(
  db: Db,
  { app_id: appId, made_by: userId }: { app_id: string; made_by: string | null },
): Promise<UserRow | null> {
  const user = userId === null ? undefined : await findUser(db, userId);
  return user !== undefined && (await isOwnerOrOperator(db, appId, user.id)) ? user : null;
}

export async function isOwnerOrOperator(db: Db, appId: string, userId: string): Promise<boolean> {
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
