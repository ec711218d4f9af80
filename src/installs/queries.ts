import { type Actor, canSee } from '../auth/index.ts';
import { type Db, type InstallsTable, isAmong, isShared, type Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { RecordPage } from '../personal-data.ts';

export type InstallRow = InstallsTable;

/** Does not check whether the caller may see the install. */
async function findInstall(db: Db, appId: string, installId: string): Promise<InstallRow | undefined> {
  return await db
    .selectFrom('installs')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', installId)
    .executeTakeFirst();
}

/** @param installId in any case; need not be a UUID. */
export async function findVisibleInstall(
  db: Db,
  actor: Actor,
  installId: string,
): Promise<InstallRow | undefined> {
  if (!isUuid(installId)) return undefined;
  const install = await findInstall(db, actor.appId, installId.toLowerCase());
  return install !== undefined && canSee(actor, install) ? install : undefined;
}

/** The catalogue's message asks to record the install first, which does not apply to management calls. */
export function installNotFound(): AppError {
  return new AppError('install.not_found', {
    message:
      'There is no install with this id. Check the id and the key; a test key sees sandbox installs only.',
  });
}

/** The columns that events and counts of an install need. */
export const COUNTED_COLUMNS = [
  'app_id',
  'id',
  'sandbox',
  'user_id',
  'platform',
  'attribution_method',
  'link_id',
  'campaign_id',
  'country',
  'referrer',
  'utm',
  'installed_at',
  'last_open',
  'active_days',
  'existing_user',
  'first_purchase',
  'os_version',
  'fingerprint',
  'erased',
  'identifiers',
  'identifier_times',
  'deterministic_only',
  'network',
  'network_name',
  'network_campaign',
  'network_trace',
] as const;
export type CountedInstall = Pick<InstallRow, (typeof COUNTED_COLUMNS)[number]>;

/** In no particular order, without unknown IDs. @param columns all, if it is left out. */
export async function listInstalls<C extends keyof InstallRow>(
  db: Db,
  appId: string,
  installIds: readonly string[],
  columns?: readonly C[],
): Promise<Pick<InstallRow, C>[]> {
  if (installIds.length === 0) return [];
  const installs = db.selectFrom('installs').where('app_id', '=', appId).where('id', 'in', installIds);
  const rows = columns === undefined ? installs.selectAll() : installs.select(columns as readonly 'id'[]);
  return (await rows.execute()) as unknown as Pick<InstallRow, C>[];
}

/** Those that are stored, in no particular order; others cannot change them before the transaction ends. */
export async function lockInstalls(
  tx: Transaction,
  appId: string,
  installIds: readonly string[],
): Promise<CountedInstall[]> {
  return await tx
    .selectFrom('installs')
    .select(COUNTED_COLUMNS)
    .where('app_id', '=', appId)
    .where(isAmong(tx, 'id', installIds))
    .$if(isShared(tx), (query) => query.orderBy('id').forUpdate())
    .execute();
}

/** Changes no row if the ID exists. */
export function insertInstall(db: Db, install: InstallsTable) {
  return db
    .insertInto('installs')
    .values(install)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id');
}

/** Replaces the user of an install; stored events keep theirs. */
export async function updateInstallUser(
  db: Db,
  appId: string,
  installId: string,
  userId: string,
): Promise<void> {
  await db
    .updateTable('installs')
    .set({ user_id: userId })
    .where('app_id', '=', appId)
    .where('id', '=', installId)
    .execute();
}

/** Installs of a user or an address, in order of ID. */
export async function listInstallsOf(
  db: Db,
  appId: string,
  { column, value, after, limit }: RecordPage<'user_id' | 'ip_hash'>,
): Promise<InstallRow[]> {
  return await db
    .selectFrom('installs')
    .selectAll()
    .where('app_id', '=', appId)
    .where(column, '=', value)
    .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Returns the deleted rows: of concurrent deletions, one gets each row. */
export async function deleteInstallRows(
  db: Db,
  appId: string,
  installIds: readonly string[],
): Promise<(CountedInstall & Pick<InstallRow, 'click_id'>)[]> {
  return await db
    .deleteFrom('installs')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', installIds))
    .returning([...COUNTED_COLUMNS, 'click_id'])
    .execute();
}

export const CHOICE_COLUMNS = ['id', 'sandbox', 'installed_at', 'attribution_method', 'link_id'] as const;
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
