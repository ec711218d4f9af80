import { type Db, lockUntilCommit, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { UserRow } from './account.ts';
import { countOperators, findUser, updateUser } from './queries.ts';

/**
 * Makes a user an operator, or one no more, from the next request on.
 * @throws AppError `user.not_found`, `user.last_operator`.
 */
export async function changeOperator(
  db: Db,
  { userId, isOperator }: { userId: string; isOperator: boolean },
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
    await updateUser(tx, user.id, { is_operator });
    return { ...user, is_operator };
  });
}
