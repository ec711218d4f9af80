import { sql } from 'kysely';
import { type BootstrapsTable, type Db, isShared, type Transaction, type Write } from '../db/index.ts';
import type { AppRow } from './app.ts';

export async function insertApp(db: Db, app: AppRow): Promise<void> {
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
  changes: Partial<AppRow>,
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
export async function reviseLinks(tx: Transaction, appId: string): Promise<void> {
  await tx.updateTable('apps').set({ links_revision: NEXT_REVISION }).where('id', '=', appId).execute();
}

/** The same for `store.commit`. */
export function revisionOfLinks(db: Db, appId: string): Write {
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

/** Until the transaction ends. A database that is not shared runs transactions one after the other anyway. */
export async function lockApp(db: Db, appId: string): Promise<void> {
  if (isShared(db)) await db.selectFrom('apps').select('id').where('id', '=', appId).forUpdate().execute();
}
