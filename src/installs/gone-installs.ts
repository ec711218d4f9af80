/**
 * Installs that were erased or deleted on purpose, as tombstones: a keyed hash of the ID and a time. Their SDK is told so,
 * where that of an unknown install registers anew. An erased install keeps its row, without the person.
 */
import { sql } from 'kysely';
import type { Actor } from '../auth/index.ts';
import { type Db, type Flag, isAmong, type Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { findVisibleInstall, type InstallRow } from './queries.ts';

/** Longer than a phone lies in a drawer, or a backup is kept. */
export const GONE_KEPT_DAYS = 400;

/** @param installId in lower case. */
function installMark({ secrets }: Pick<Foundation, 'secrets'>, appId: string, installId: string): string {
  return secrets.markId(appId, `install ${installId}`);
}

/** Sets tombstones. @param installIds at most some hundred. */
export async function markGone(
  tx: Transaction,
  { clock, secrets }: Pick<Foundation, 'clock' | 'secrets'>,
  appId: string,
  installIds: readonly string[],
): Promise<void> {
  if (installIds.length === 0) return;
  const gone_at = isoTime(clock.nowMs());
  await tx
    .insertInto('gone_installs')
    .values(
      installIds.map((id) => ({ app_id: appId, install_mark: installMark({ secrets }, appId, id), gone_at })),
    )
    .onConflict((conflict) => conflict.columns(['app_id', 'install_mark']).doUpdateSet({ gone_at }))
    .execute();
}

/** @returns those of the given IDs that have a tombstone. */
export async function listGoneInstalls(
  db: Db,
  { secrets }: Pick<Foundation, 'secrets'>,
  appId: string,
  installIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (installIds.length === 0) return new Set();
  const byMark = new Map(installIds.map((id) => [installMark({ secrets }, appId, id), id]));
  const rows = await db
    .selectFrom('gone_installs')
    .select('install_mark')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'install_mark', [...byMark.keys()]))
    .execute();
  return new Set(rows.flatMap(({ install_mark }) => byMark.get(install_mark) ?? []));
}

/**
 * As `findVisibleInstall`.
 * @throws AppError `install.erased` if the install was erased or deleted.
 */
export async function findKnownInstall(
  db: Db,
  { secrets }: Pick<Foundation, 'secrets'>,
  actor: Actor,
  installId: string,
): Promise<InstallRow | undefined> {
  const install = await findVisibleInstall(db, actor, installId);
  if (install !== undefined && install.erased === null) return install;
  const gone = await listGoneInstalls(db, { secrets }, actor.appId, [installId.toLowerCase()]);
  if (gone.size > 0) throw new AppError('install.erased');
  return install;
}

/** What a retry of `POST /v1/sdk/install` is answered with. @throws AppError `install.erased`. */
export async function findInstallForRetry(
  db: Db,
  { secrets }: Pick<Foundation, 'secrets'>,
  appId: string,
  installId: string,
): Promise<Pick<InstallRow, 'sandbox' | 'answer' | 'invited_by' | 'deterministic_only'> | undefined> {
  // One statement: an unknown install, the common case, takes no further round trip.
  const rows = await db
    .selectFrom('installs')
    .select(['sandbox', 'answer', 'invited_by', 'erased', 'deterministic_only', sql.lit(0).as('isGone')])
    .where('app_id', '=', appId)
    .where('id', '=', installId)
    .unionAll(
      db
        .selectFrom('gone_installs')
        .select([
          sql<Flag>`0`.as('sandbox'),
          sql<string>`'{}'`.as('answer'),
          sql<string | null>`null`.as('invited_by'),
          sql<Flag | null>`1`.as('erased'),
          sql<Flag | null>`null`.as('deterministic_only'),
          sql.lit(1).as('isGone'),
        ])
        .where('app_id', '=', appId)
        .where('install_mark', '=', installMark({ secrets }, appId, installId)),
    )
    .execute();
  const isGone = rows.some((row) => row.isGone === 1);
  const install = rows.find((row) => row.isGone === 0);
  if (isGone && install?.erased !== null) throw new AppError('install.erased');
  return install;
}

/** @returns the number of deleted rows. */
export async function dropOldGoneInstalls(
  db: Db,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const old = db
    .selectFrom('gone_installs')
    .select('install_mark')
    .where('app_id', '=', appId)
    .where('gone_at', '<', isoTime(beforeMs))
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('gone_installs')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'install_mark', old))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
