import { lockApp } from '../apps/index.ts';
import { type ChangedBy, recordChange, recordServiceChange } from '../audit/index.ts';
import { lockUntilCommit, type Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isUuid } from '../lib/ids.ts';
import type { UserRow } from './account.ts';
import { deleteWithoutApp, endMembership } from './members.ts';
import { type AppOfUser, isMemberOfAny, listAppsOfUser } from './membership-queries.ts';
import { countOperators, deleteUser, findUser, lockUser } from './queries.ts';

type Deps = Pick<Foundation, 'db' | 'clock' | 'ids'>;

/**
 * Ends the user's own membership, with the account if it is the last one and no operator's.
 * @throws AppError `app.not_found`, `user.last_owner`.
 */
export async function leaveApp(deps: Deps, { user, appId }: { user: UserRow; appId: string }): Promise<void> {
  const id = appId.toLowerCase();
  await deps.db.transaction().execute(async (tx) => {
    const app = isUuid(appId) ? await lockOwnApp(tx, user, id) : undefined;
    if (app === undefined)
      throw new AppError('app.not_found', {
        message: 'You are not a member of an app with this id. List your apps with GET /v1/session.',
      });
    await leave(tx, deps, { user, app, by: { user } });
    await deleteWithoutApp(tx, user.id);
  });
}

/**
 * Ends all memberships of the user, the sessions and the account.
 * @param by the user, unless an operator removes the account.
 * @throws AppError `user.last_owner`, `user.last_operator`.
 */
export async function deleteAccount(deps: Deps, user: UserRow, by: ChangedBy = { user }): Promise<void> {
  await deps.db.transaction().execute(async (tx) => {
    const ids = (await listAppsOfUser(tx, user.id)).map(({ id }) => id).sort();
    // All locks of apps before those of users, as in a removal.
    const apps: AppOfUser[] = [];
    for (const id of ids) {
      const app = await lockOwnApp(tx, user, id);
      if (app !== undefined) apps.push(app);
    }
    await lockUntilCommit(tx, 'operators');
    for (const app of apps) await leave(tx, deps, { user, app, by });
    if (!(await lockUser(tx, user.id))) return;
    const { is_operator, disabled_at } = (await findUser(tx, user.id)) ?? user;
    const isOperator = is_operator === 1 && disabled_at === null;
    if (isOperator && (await countOperators(tx)) === 1) throw new AppError('user.last_operator');
    if (await isMemberOfAny(tx, user.id))
      throw new AppError('server.busy', { message: 'The user joined an app at this moment. Try again.' });
    await deleteUser(tx, user.id);
    const change = { by, recordId: user.id, email: user.email } as const;
    await recordServiceChange(tx, deps, { ...change, action: 'user.deleted' });
  });
}

/** In one order by everybody who locks several, so that nobody waits in a circle. */
async function lockOwnApp(tx: Transaction, user: UserRow, appId: string): Promise<AppOfUser | undefined> {
  await lockApp(tx, appId);
  return (await listAppsOfUser(tx, user.id)).find(({ id }) => id === appId);
}

async function leave(
  tx: Transaction,
  { clock, ids }: Pick<Deps, 'clock' | 'ids'>,
  { user, app, by }: { user: UserRow; app: AppOfUser; by: ChangedBy },
): Promise<void> {
  await endMembership(tx, app.id, { id: user.id, role: app.role }).catch((error: unknown) => {
    if (!(error instanceof AppError && error.code === 'user.last_owner')) throw error;
    throw new AppError('user.last_owner', {
      message: `${typeof by === 'object' && 'user' in by && by.user.id === user.id ? 'You are' : `${user.email} is`} the only owner of ${app.name}. Make another member an owner first.`,
    });
  });
  const change = { appId: app.id, recordId: user.id, sandbox: 0 } as const;
  await recordChange(tx, { clock, ids }, { ...change, action: 'user.removed', by });
}
