import { recordServiceChange } from '../audit/index.ts';
import { deleteSessions, type Operator } from '../auth/index.ts';
import { type Db, lockUntilCommit, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import type { UserRow } from './account.ts';
import { countOperators, deletePasswordResets, findUser, lockUser, updateUser } from './queries.ts';

/**
 * Ends every session of a user, who cannot sign in until enabled again; memberships and keys stay.
 * @throws AppError `user.not_found`, `user.last_operator`.
 */
export async function changeDisabled(
  { db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>,
  { userId, isDisabled, by }: { userId: string; isDisabled: boolean; by: Operator },
): Promise<UserRow> {
  return await db.transaction().execute(async (tx) => {
    await lockUntilCommit(tx, 'operators');
    const user = await requireUser(tx, userId);
    await lockUser(tx, user.id);
    if ((user.disabled_at !== null) === isDisabled) return user;
    if (isDisabled && user.is_operator === 1 && (await countOperators(tx)) === 1)
      throw new AppError('user.last_operator');
    const disabled_at = isDisabled ? isoTime(clock.nowMs()) : null;
    await updateUser(tx, user.id, { disabled_at });
    if (isDisabled) {
      await deleteSessions(tx, user.id, null);
      await deletePasswordResets(tx, user.id);
    }
    const action = isDisabled ? 'user.disabled' : 'user.enabled';
    await recordServiceChange(tx, { clock, ids }, { action, by, recordId: user.id, email: user.email });
    return { ...user, disabled_at };
  });
}

/** @throws AppError `user.not_found` */
export async function requireUser(db: Db, userId: string): Promise<UserRow> {
  const user = isUuid(userId) ? await findUser(db, userId.toLowerCase()) : undefined;
  if (user !== undefined) return user;
  throw new AppError('user.not_found', {
    message: 'There is no user with this id. List them with GET /v1/admin/users.',
  });
}

/**
 * Makes a user with a proven email an operator, or an operator one no more, from the next request on.
 * @throws AppError `user.not_found`, `user.unproven_email`, `user.last_operator`.
 */
export async function changeOperator(
  { db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>,
  { userId, isOperator, by }: { userId: string; isOperator: boolean; by: Operator },
): Promise<UserRow> {
  return await db.transaction().execute(async (tx) => {
    // So that two operators cannot take the mark from each other.
    await lockUntilCommit(tx, 'operators');
    const user = await requireUser(tx, userId);
    const isLast = async () => user.disabled_at === null && (await countOperators(tx)) === 1;
    if (!isOperator && user.is_operator === 1 && (await isLast())) throw new AppError('user.last_operator');
    const is_operator = toFlag(isOperator);
    if (user.is_operator === is_operator) return user;
    if (isOperator && user.email_proven_at === null) throw new AppError('user.unproven_email');
    await updateUser(tx, user.id, { is_operator });
    const action = isOperator ? 'operator.marked' : 'operator.unmarked';
    await recordServiceChange(tx, { clock, ids }, { action, by, recordId: user.id, email: user.email });
    return { ...user, is_operator };
  });
}
