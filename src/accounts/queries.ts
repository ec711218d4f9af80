import {
  type Db,
  isShared,
  type PasswordResetsTable,
  type SetupTokensTable,
  type Transaction,
  type UsersTable,
} from '../db/index.ts';
import type { UserRow } from './account.ts';

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

/**
 * Until the commit, so that the account is not deleted for want of an app while it joins one. False if there is no such user.
 */
export async function lockUser(tx: Transaction, userId: string): Promise<boolean> {
  const user = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .$if(isShared(tx), (query) => query.forUpdate())
    .executeTakeFirst();
  return user !== undefined;
}

/** Keeps the time of the first proof. */
export async function proveEmail(db: Db, userId: string, now: string): Promise<void> {
  await db
    .updateTable('users')
    .set({ email_proven_at: now })
    .where('id', '=', userId)
    .where('email_proven_at', 'is', null)
    .execute();
}

export async function countOperators(tx: Transaction): Promise<number> {
  const operators = tx.selectFrom('users').select('id').where('is_operator', '=', 1);
  return (await operators.where('disabled_at', 'is', null).execute()).length;
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
  await deletePasswordResets(tx, userId);
  await tx.deleteFrom('users').where('id', '=', userId).execute();
}

/** Replaces the token before. */
export async function upsertSetupToken(db: Db, token: Omit<SetupTokensTable, 'id'>): Promise<void> {
  await db
    .insertInto('setup_tokens')
    .values({ id: 1, ...token })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(token))
    .execute();
}

export async function findSetupToken(
  db: Db,
  tokenHash: string,
  madeAfter: string,
): Promise<SetupTokensTable | undefined> {
  return await db
    .selectFrom('setup_tokens')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('created_at', '>', madeAfter)
    .executeTakeFirst();
}

/** False if another request was faster. */
export async function deleteSetupToken(tx: Transaction, tokenHash: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('setup_tokens')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function insertPasswordReset(db: Db, reset: PasswordResetsTable): Promise<void> {
  await db.insertInto('password_resets').values(reset).execute();
}

export async function findPasswordReset(
  db: Db,
  tokenHash: string,
  madeAfter: string,
): Promise<PasswordResetsTable | undefined> {
  return await db
    .selectFrom('password_resets')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('created_at', '>', madeAfter)
    .executeTakeFirst();
}

/** False if another request was faster. */
export async function deletePasswordReset(tx: Transaction, tokenHash: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('password_resets')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** All of a user. */
export async function deletePasswordResets(tx: Transaction, userId: string): Promise<void> {
  await tx.deleteFrom('password_resets').where('user_id', '=', userId).execute();
}

/** Of all users. @returns the number deleted. */
export async function deleteExpiredPasswordResets(db: Db, madeBefore: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('password_resets')
    .where('created_at', '<=', madeBefore)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
