import { recordChange } from '../audit/index.ts';
import type { Config } from '../config.ts';
import type { Db, Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import { makeSecret } from '../lib/secrets.ts';
import { hashToken, normaliseEmail, TOKEN_MS, type UserRow } from './account.ts';
import { listAppsWithoutOwner, upsertMembership } from './membership-queries.ts';
import {
  deleteSessions,
  deleteSetupToken,
  findUserByEmail,
  hasSetupToken,
  insertUser,
  updateUser,
  upsertSetupToken,
} from './queries.ts';
import type { AccountDeps } from './sign-in.ts';

/** A one-time address at which an operator is made. The address before becomes invalid. */
export async function makeSetupAddress({
  db,
  clock,
  config,
}: {
  db: Db;
  clock: Clock;
  config: Config;
}): Promise<string> {
  const token = makeSecret();
  await upsertSetupToken(db, { token_hash: hashToken(token), created_at: isoTime(clock.nowMs()) });
  return `${config.publicUrl}/console/setup#${token}`;
}

interface SetUpInput {
  readonly token: string;
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/**
 * Makes an operator, who owns every app without an owner. A user with this address becomes one and gets the password, so
 * that a lost password can be replaced; the user's sessions end.
 * @throws AppError `setup.wrong_token`.
 */
export async function setUp(deps: AccountDeps, input: SetUpInput): Promise<UserRow> {
  const { db, clock, passwords } = deps;
  const tokenHash = hashToken(input.token);
  const madeAfter = isoTime(clock.nowMs() - TOKEN_MS);
  if (!(await hasSetupToken(db, tokenHash, madeAfter))) throw new AppError('setup.wrong_token');
  const password_hash = await passwords.hash(input.password);
  return await db.transaction().execute(async (tx) => {
    if (!(await deleteSetupToken(tx, tokenHash))) throw new AppError('setup.wrong_token');
    const user = await makeOperator(tx, deps, { ...input, password_hash });
    await ownApps(tx, deps, user);
    return user;
  });
}

async function makeOperator(
  tx: Transaction,
  { clock, ids }: AccountDeps,
  { email, name, password_hash }: { email: string; name: string; password_hash: string },
): Promise<UserRow> {
  const known = await findUserByEmail(tx, normaliseEmail(email));
  const changes = { name, password_hash, is_operator: 1 } as const;
  if (known !== undefined) {
    await updateUser(tx, known.id, changes);
    await deleteSessions(tx, known.id, null);
    return { ...known, ...changes };
  }
  const user: UserRow = {
    id: ids.next(),
    email: normaliseEmail(email),
    oidc_subject: null,
    created_at: isoTime(clock.nowMs()),
    last_used_at: null,
    ...changes,
  };
  await insertUser(tx, user);
  return user;
}

async function ownApps(tx: Transaction, { clock, ids }: AccountDeps, user: UserRow): Promise<void> {
  const created_at = isoTime(clock.nowMs());
  for (const appId of await listAppsWithoutOwner(tx)) {
    await upsertMembership(tx, { app_id: appId, user_id: user.id, role: 'owner', created_at });
    const change = { appId, recordId: user.id, sandbox: 0, about: { role: 'owner' } } as const;
    await recordChange(tx, { clock, ids }, { ...change, action: 'user.joined', by: { user } });
  }
}
