import type { Db, SessionsTable, SetupTokensTable, Transaction, UsersTable } from '../db/index.ts';
import type { SignedIn, UserRow } from './account.ts';

export async function findUser(db: Db, userId: string): Promise<UserRow | undefined> {
  return await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst();
}

/** @param email normalised */
export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return await db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
}

export async function findUserBySubject(db: Db, oidcSubject: string): Promise<UserRow | undefined> {
  return await db.selectFrom('users').selectAll().where('oidc_subject', '=', oidcSubject).executeTakeFirst();
}

/** By email. */
export async function listUsers(db: Db): Promise<UserRow[]> {
  return await db.selectFrom('users').selectAll().orderBy('email').execute();
}

export async function countOperators(tx: Transaction): Promise<number> {
  return (await tx.selectFrom('users').select('id').where('is_operator', '=', 1).execute()).length;
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

export async function insertUser(tx: Transaction, user: UsersTable): Promise<void> {
  await tx.insertInto('users').values(user).execute();
}

export async function updateUser(db: Db, userId: string, changes: Partial<UsersTable>): Promise<void> {
  await db.updateTable('users').set(changes).where('id', '=', userId).execute();
}

export async function deleteUser(tx: Transaction, userId: string): Promise<void> {
  await tx.deleteFrom('sessions').where('user_id', '=', userId).execute();
  await tx.deleteFrom('users').where('id', '=', userId).execute();
}

export async function insertSession(db: Db, session: SessionsTable): Promise<void> {
  await db.insertInto('sessions').values(session).execute();
}

/** The session of a token that was used after `usedAfter`, with its user. */
export async function findSession(
  db: Db,
  tokenHash: string,
  usedAfter: string,
): Promise<SignedIn | undefined> {
  const session = await db
    .selectFrom('sessions')
    .select(['id', 'user_id', 'last_used_at'])
    .where('token_hash', '=', tokenHash)
    .where('last_used_at', '>', usedAfter)
    .executeTakeFirst();
  const user = session && (await findUser(db, session.user_id));
  return user && { user, session };
}

/** Newest first. */
export async function listSessions(db: Db, userId: string, usedAfter: string): Promise<SessionsTable[]> {
  return await db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('last_used_at', '>', usedAfter)
    .orderBy('id', 'desc')
    .execute();
}

export async function updateLastUse(db: Db, { user, session }: SignedIn, now: string): Promise<void> {
  await db.updateTable('sessions').set({ last_used_at: now }).where('id', '=', session.id).execute();
  await updateUser(db, user.id, { last_used_at: now });
}

/** False if the user has no such session. */
export async function deleteSession(db: Db, userId: string, sessionId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function deleteSessionByToken(db: Db, tokenHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute();
}

/** @param exceptId the session to keep; null for none. */
export async function deleteSessions(db: Db, userId: string, exceptId: string | null): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(exceptId !== null, (query) => query.where('id', '<>', exceptId ?? ''))
    .execute();
}

/** Of all users. @returns the number deleted. */
export async function deleteExpiredSessions(db: Db, usedBefore: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('last_used_at', '<=', usedBefore)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Replaces the token before. */
export async function upsertSetupToken(
  db: Db,
  token: Pick<SetupTokensTable, 'token_hash' | 'created_at'>,
): Promise<void> {
  await db
    .insertInto('setup_tokens')
    .values({ id: 1, ...token })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(token))
    .execute();
}

export async function hasSetupToken(db: Db, tokenHash: string, madeAfter: string): Promise<boolean> {
  const token = await db
    .selectFrom('setup_tokens')
    .select('id')
    .where('token_hash', '=', tokenHash)
    .where('created_at', '>', madeAfter)
    .executeTakeFirst();
  return token !== undefined;
}

/** False if another request was faster. */
export async function deleteSetupToken(tx: Transaction, tokenHash: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('setup_tokens')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
