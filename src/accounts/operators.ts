import { recordServiceChange } from '../audit/index.ts';
import type { Operator } from '../auth/index.ts';
import { lockUntilCommit, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isUuid } from '../lib/ids.ts';
import type { UserRow } from './account.ts';
import { countOperators, findUser, updateUser } from './queries.ts';

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
    const user = isUuid(userId) ? await findUser(tx, userId.toLowerCase()) : undefined;
    if (user === undefined)
      throw new AppError('user.not_found', {
        message: 'There is no user with this id. List them with GET /v1/admin/users.',
      });
    if (!isOperator && user.is_operator === 1 && (await countOperators(tx)) === 1)
      throw new AppError('user.last_operator');
    const is_operator = toFlag(isOperator);
    if (user.is_operator === is_operator) return user;
    if (isOperator && user.email_proven_at === null) throw new AppError('user.unproven_email');
    await updateUser(tx, user.id, { is_operator });
    const action = isOperator ? 'operator.marked' : 'operator.unmarked';
    await recordServiceChange(tx, { clock, ids }, { action, by, recordId: user.id, email: user.email });
    return { ...user, is_operator };
  });
}
