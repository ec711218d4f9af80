import { type Db, isAmong, type OpensTable } from '../db/index.ts';
import type { RecordPage } from '../personal-data.ts';

export type OpenRow = OpensTable;

/** Newest first. */
export async function listOpensOfInstall(
  db: Db,
  appId: string,
  installId: string,
  limit: number,
): Promise<OpenRow[]> {
  return await db
    .selectFrom('opens')
    .selectAll()
    .where('app_id', '=', appId)
    .where('install_id', '=', installId)
    .orderBy('opened_at', 'desc')
    .limit(limit)
    .execute();
}

/** Does not check whether the caller may see the open. */
export async function findOpen(db: Db, appId: string, openId: string): Promise<OpenRow | undefined> {
  return await db
    .selectFrom('opens')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', openId)
    .executeTakeFirst();
}

/** Changes no row if the ID exists. */
export function insertOpen(db: Db, open: OpensTable) {
  return db
    .insertInto('opens')
    .values(open)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id');
}

/** Opens of a user, an install or an address, in order of ID. */
export async function listOpensOf(
  db: Db,
  appId: string,
  { column, value, after, limit }: RecordPage<'user_id' | 'install_id' | 'ip_hash'>,
): Promise<OpenRow[]> {
  return await db
    .selectFrom('opens')
    .selectAll()
    .where('app_id', '=', appId)
    .where(column, '=', value)
    .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function listOpenOwners(
  db: Db,
  appId: string,
  openIds: readonly string[],
): Promise<Pick<OpenRow, 'id' | 'user_id' | 'install_id'>[]> {
  if (openIds.length === 0) return [];
  return await db
    .selectFrom('opens')
    .select(['id', 'user_id', 'install_id'])
    .where('app_id', '=', appId)
    .where('id', 'in', openIds)
    .execute();
}

/** Lists the given installs that have opens of another user. */
export async function listInstallsOpenedByOthers(
  db: Db,
  appId: string,
  installIds: readonly string[],
  userId: string,
): Promise<string[]> {
  if (installIds.length === 0) return [];
  const opens = await db
    .selectFrom('opens')
    .select('install_id')
    .distinct()
    .where('app_id', '=', appId)
    .where('install_id', 'in', installIds)
    .where('user_id', '!=', userId)
    .execute();
  return opens.flatMap(({ install_id }) => install_id ?? []);
}

const DELETED_OPEN_COLUMNS = [
  'app_id',
  'id',
  'sandbox',
  'platform',
  'attribution_method',
  'link_id',
  'campaign_id',
  'country',
  'referrer',
  'utm',
  'os_version',
  'fingerprint',
  'click_id',
  'opened_at',
] as const;

/** Deletes at most `limit` opens and returns them. */
export async function deleteOpensOfInstalls(
  db: Db,
  appId: string,
  { installIds, limit }: { installIds: readonly string[]; limit: number },
): Promise<Pick<OpenRow, (typeof DELETED_OPEN_COLUMNS)[number]>[]> {
  const page = db
    .selectFrom('opens')
    .select('id')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'install_id', installIds))
    .limit(limit);
  return await db
    .deleteFrom('opens')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', page))
    .returning(DELETED_OPEN_COLUMNS)
    .execute();
}
