import { type Db, isAmong } from '../db/index.ts';
import { type InstallRow, type OpenRow, SUMMARY_COLUMNS } from './queries.ts';

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
  'click_id',
  'opened_at',
] as const;

/** Returns the deleted rows: of concurrent deletions, one gets each row. */
export async function deleteInstallRows(
  db: Db,
  appId: string,
  installIds: readonly string[],
): Promise<Pick<InstallRow, (typeof SUMMARY_COLUMNS)[number] | 'click_id'>[]> {
  return await db
    .deleteFrom('installs')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', installIds))
    .returning([...SUMMARY_COLUMNS, 'click_id'])
    .execute();
}

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

const CHOICE_COLUMNS = ['id', 'sandbox', 'installed_at', 'attribution_method', 'link_id'] as const;
export type InstallChoice = Pick<InstallRow, (typeof CHOICE_COLUMNS)[number]>;

/** A page of the installs in a half-open interval, oldest first. @param after last row of the page before. */
export async function listInstallsByTime(
  db: Db,
  appId: string,
  { from, to, after, limit }: { from: string; to: string; after: InstallChoice | null; limit: number },
): Promise<InstallChoice[]> {
  let installs = db
    .selectFrom('installs')
    .select(CHOICE_COLUMNS)
    .where('app_id', '=', appId)
    .where('installed_at', '<', to)
    .where('installed_at', '>=', after?.installed_at ?? from);
  if (after !== null) {
    const { installed_at, id } = after;
    installs = installs.where(({ eb, or }) => or([eb('installed_at', '>', installed_at), eb('id', '>', id)]));
  }
  return await installs.orderBy('installed_at').orderBy('id').limit(limit).execute();
}
