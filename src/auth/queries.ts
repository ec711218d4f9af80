import { type SqlBool, sql } from 'kysely';
import type { Region } from '../config.ts';
import {
  type ApiKeysTable,
  type Db,
  isUniqueViolation,
  type SessionsTable,
  type Transaction,
} from '../db/index.ts';
import type { Role } from './actor.ts';
import type { SignedIn } from './session.ts';

/** False if the key exists. */
export async function insertKey(db: Db, key: ApiKeysTable): Promise<boolean> {
  try {
    await db
      .insertInto('api_key_hashes')
      .values({ hash: key.hash, app_id: key.app_id, key_id: key.id })
      .execute();
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
  await db.insertInto('api_keys').values(key).execute();
  return true;
}

/** With the email that the user who made it has now; null for others, and for a deleted user. */
export interface KeyRow extends ApiKeysTable {
  readonly maker_email: string | null;
}

function keysOf(db: Db, appId: string) {
  return db
    .selectFrom('api_keys')
    .leftJoin('users', 'users.id', 'api_keys.made_by')
    .selectAll('api_keys')
    .select('users.email as maker_email')
    .where('api_keys.app_id', '=', appId)
    .orderBy('api_keys.id', 'desc');
}

/** Newest first, including revoked keys and those that ended. */
export async function listKeys(db: Db, appId: string): Promise<KeyRow[]> {
  return await keysOf(db, appId).execute();
}

/** Newest first: neither revoked nor ended. @param madeBy the user; null for the keys of all users. */
export async function listActiveKeysOf(
  db: Db,
  appId: string,
  { madeBy, now }: { madeBy: string | null; now: string },
): Promise<KeyRow[]> {
  return await keysOf(db, appId)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('ends_at', 'is', null), eb('ends_at', '>', now)]))
    .where('made_by', 'is not', null)
    .$if(madeBy !== null, (query) => query.where('made_by', '=', madeBy))
    .execute();
}

/** Including revoked keys and those that ended. */
export async function findKey(db: Db, appId: string, keyId: string): Promise<KeyRow | undefined> {
  return await keysOf(db, appId).where('api_keys.id', '=', keyId).executeTakeFirst();
}

/** Ignores keys without a region. */
export async function hasKeysOfRegion(db: Db, region: Region): Promise<boolean> {
  const key = await db
    .selectFrom('api_keys')
    .select('id')
    .where(sql<SqlBool>`hint like ${`svc\\_%\\_${region}\\_%`} escape '\\'`)
    .where('revoked_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return key !== undefined;
}

/** The only query without an app id: `api_key_hashes` has it. A key that ended is among them. */
export async function findUnrevokedKeyByHash(db: Db, hash: string): Promise<ApiKeysTable | undefined> {
  const entry = await db.selectFrom('api_key_hashes').selectAll().where('hash', '=', hash).executeTakeFirst();
  if (entry === undefined) return undefined;
  const key = await findKey(db, entry.app_id, entry.key_id);
  return key?.revoked_at === null ? key : undefined;
}

/** False if it was revoked before. */
export async function revokeKey(db: Db, appId: string, keyId: string, revokedAt: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_keys')
    .set({ revoked_at: revokedAt })
    .where('app_id', '=', appId)
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** The row if it is neither revoked nor, as the caller read it, replaced by another key meanwhile. */
export async function updateActiveKey(
  tx: Transaction,
  { app_id: appId, id, replaced_by: replacedBy }: ApiKeysTable,
  changes: Partial<Pick<ApiKeysTable, 'name' | 'ends_at' | 'replaced_by'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('api_keys')
    .set(changes)
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('replaced_by', replacedBy === null ? 'is' : '=', replacedBy)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Writes nothing if a use since `writtenBefore` is stored, such as by another process.
 * @param use `publicKey` is stored for publishable keys of before these were kept.
 */
export async function updateKeyUse(
  db: Db,
  appId: string,
  keyId: string,
  { at, writtenBefore, publicKey }: { at: string; writtenBefore: string; publicKey: string | null },
): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: at, ...(publicKey !== null && { public_key: publicKey }) })
    .where('app_id', '=', appId)
    .where('id', '=', keyId)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', writtenBefore)]))
    .execute();
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
  const user =
    session &&
    (await db.selectFrom('users').selectAll().where('id', '=', session.user_id).executeTakeFirst());
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
  await db.updateTable('users').set({ last_used_at: now }).where('id', '=', user.id).execute();
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

/** Null for a user who is no member. */
export async function findRole(db: Db, appId: string, userId: string): Promise<Role | null> {
  const member = await db
    .selectFrom('memberships')
    .select('role')
    .where('app_id', '=', appId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return member === undefined ? null : (member.role as Role);
}

export async function hasApp(db: Db, appId: string): Promise<boolean> {
  return (await db.selectFrom('apps').select('id').where('id', '=', appId).executeTakeFirst()) !== undefined;
}
