import { type SqlBool, sql } from 'kysely';
import type { Region } from '../config.ts';
import {
  type ApiKeysTable,
  type AppsTable,
  type BootstrapsTable,
  type Db,
  isShared,
  isUniqueViolation,
} from '../db/index.ts';
import type { AppRow } from './app.ts';

export async function insertApp(db: Db, app: AppsTable): Promise<void> {
  await db.insertInto('apps').values(app).execute();
}

/** Newest first. */
export async function listApps(db: Db): Promise<AppRow[]> {
  return await db.selectFrom('apps').selectAll().orderBy('id', 'desc').execute();
}

export async function findApp(db: Db, appId: string): Promise<AppRow | undefined> {
  return await db.selectFrom('apps').selectAll().where('id', '=', appId).executeTakeFirst();
}

/** Apps with a short link host of their own. */
export async function listOwnHosts(db: Db): Promise<{ id: string; short_link_host: string }[]> {
  return await db
    .selectFrom('apps')
    .select(['id', 'short_link_host'])
    .where('short_link_host', 'is not', null)
    .$narrowType<{ short_link_host: string }>()
    .execute();
}

/** The oldest app with an App Store id; staging apps may share their live one's. */
export async function findAppByStoreId(db: Db, iosAppStoreId: string): Promise<AppRow | undefined> {
  return await db
    .selectFrom('apps')
    .selectAll()
    .where('ios_app_store_id', '=', iosAppStoreId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

export async function hasAppWithStoreId(db: Db): Promise<boolean> {
  const app = await db
    .selectFrom('apps')
    .select('id')
    .where('ios_app_store_id', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return app !== undefined;
}

/** Undefined if there is no such app. Also raises the revision of its links. */
export async function updateApp(
  db: Db,
  appId: string,
  changes: Partial<AppsTable>,
): Promise<AppRow | undefined> {
  return await db
    .updateTable('apps')
    .set({ ...changes, links_revision: NEXT_REVISION })
    .where('id', '=', appId)
    .returningAll()
    .executeTakeFirst();
}

const NEXT_REVISION = sql<number>`links_revision + 1`;

/** Raises the revision in the transaction of a change; all processes poll it to invalidate cached links. */
export function reviseLinks(db: Db, appId: string) {
  return db
    .updateTable('apps')
    .set({ links_revision: NEXT_REVISION })
    .where('id', '=', appId)
    .returning('id');
}

/** -1 if there is no such app. */
export async function findLinksRevision(db: Db, appId: string): Promise<number> {
  const app = await db.selectFrom('apps').select('links_revision').where('id', '=', appId).executeTakeFirst();
  return app?.links_revision ?? -1;
}

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

/** Newest first, including revoked keys. */
export async function listKeys(db: Db, appId: string): Promise<ApiKeysTable[]> {
  return await db
    .selectFrom('api_keys')
    .selectAll()
    .where('app_id', '=', appId)
    .orderBy('id', 'desc')
    .execute();
}

/** Newest first. @param madeBy the user; null for the keys of all users. */
export async function listActiveKeysOf(
  db: Db,
  appId: string,
  madeBy: string | null,
): Promise<ApiKeysTable[]> {
  return await db
    .selectFrom('api_keys')
    .selectAll()
    .where('app_id', '=', appId)
    .where('revoked_at', 'is', null)
    .where('made_by', 'is not', null)
    .$if(madeBy !== null, (query) => query.where('made_by', '=', madeBy))
    .orderBy('id', 'desc')
    .execute();
}

/** Including revoked keys. */
export async function findKey(db: Db, appId: string, keyId: string): Promise<ApiKeysTable | undefined> {
  return await db
    .selectFrom('api_keys')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', keyId)
    .executeTakeFirst();
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

/** The only query without an app id: `api_key_hashes` has it. Undefined for a revoked key. */
export async function findActiveKeyByHash(db: Db, hash: string): Promise<ApiKeysTable | undefined> {
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

export async function updateKeyLastUsed(
  db: Db,
  appId: string,
  keyId: string,
  lastUsedAt: string,
): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: lastUsedAt })
    .where('app_id', '=', appId)
    .where('id', '=', keyId)
    // Another process may have written a later time.
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', lastUsedAt)]))
    .execute();
}

/** True for the first process only. */
export async function insertBootstrap(
  db: Db,
  made: Pick<BootstrapsTable, 'app_id' | 'secret_mark' | 'made_at'>,
): Promise<boolean> {
  const inserted = await db
    .insertInto('bootstraps')
    .values({ id: 1, ...made })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Signature by the root secret of the first start. */
export async function findSecretMark(db: Db): Promise<string | null> {
  const bootstrap = await db
    .selectFrom('bootstraps')
    .select('secret_mark')
    .where('id', '=', 1)
    .executeTakeFirst();
  return bootstrap?.secret_mark ?? null;
}

export async function updateSecretMark(db: Db, secretMark: string): Promise<void> {
  await db.updateTable('bootstraps').set({ secret_mark: secretMark }).where('id', '=', 1).execute();
}

/** Until the transaction ends. A database that is not shared runs transactions one after the other anyway. */
export async function lockApp(db: Db, appId: string): Promise<void> {
  if (isShared(db)) await db.selectFrom('apps').select('id').where('id', '=', appId).forUpdate().execute();
}
