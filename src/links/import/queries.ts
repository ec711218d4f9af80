import { type Selectable, sql } from 'kysely';
import type { ImportPartsTable, ImportsTable } from '../../db/index.ts';
import { type Db, isAmong, isAmongTexts, isShared, onEachNode, type Write } from '../../db/index.ts';
import { isoTime } from '../../lib/clock.ts';
import type { LinkRow } from '../link.ts';

export type ImportRow = Selectable<ImportsTable>;
export type ImportPart = Selectable<ImportPartsTable>;

/** Reports, not links. */
export const IMPORTS_KEPT_DAYS = 30;

/** The running import of one process. */
export interface Owned {
  readonly appId: string;
  readonly id: string;
  readonly owner: string;
}

/** @returns false while another import of the app is running. */
export async function insertImport(
  db: Db,
  row: Pick<
    ImportRow,
    'app_id' | 'id' | 'source' | 'dry_run' | 'sandbox' | 'owner' | 'alive_until' | 'created_at'
  >,
): Promise<boolean> {
  const inserted = await db
    .insertInto('imports')
    .values({ ...row, status: 'running' })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function hasRunning(db: Db, appId: string): Promise<boolean> {
  const running = await db
    .selectFrom('imports')
    .select('id')
    .where('app_id', '=', appId)
    .where('status', '=', sql.lit('running'))
    .executeTakeFirst();
  return running !== undefined;
}

/** For `store.commit`, which fails if the import is not this process's any more. */
export function updateOwn(
  db: Db,
  { appId, id, owner }: Owned,
  changes: { [Column in keyof ImportRow]?: ImportRow[Column] | undefined },
  added: Partial<Record<'created' | 'unchanged' | 'conflicts' | 'failed', number>> = {},
): Write {
  const sums = Object.fromEntries(
    Object.entries(added).map(([column, rows]) => [column, sql<number>`${sql.ref(column)} + ${rows}`]),
  );
  return db
    .updateTable('imports')
    .set({ ...changes, ...sums })
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .where('owner', '=', owner)
    .returning('id');
}

/** Ends an import whose remaining links are not stored. @returns false for one that has ended. */
export async function failImport(
  db: Db,
  { appId, id, owner }: Owned,
  { error, now }: { error: string; now: string },
): Promise<boolean> {
  const created = sql<number>`case when dry_run = 1 then 0 else created end`;
  const ended = await db
    .updateTable('imports')
    .set({
      status: 'failed',
      error,
      completed_at: now,
      created,
      failed: sql<number>`judged_rows - ${created} - unchanged - conflicts`,
    })
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .where('owner', '=', owner)
    .returning('id')
    .executeTakeFirst();
  return ended !== undefined;
}

/** For `store.commit`. */
export function replacePart(db: Db, { app_id, import_id, number, content }: ImportPart): Write {
  return db
    .updateTable('import_parts')
    .set({ content })
    .where('app_id', '=', app_id)
    .where('import_id', '=', import_id)
    .where('number', '=', number)
    .returning('number');
}

/** Of ended processes. On a database of one process those are all others. @param appId null: of all apps that can be reached. */
export async function listAbandoned(
  db: Db,
  { appId, ...by }: { appId: string | null; owner: string; now: string },
): Promise<Owned[]> {
  if (appId !== null) return await listAbandonedOf(db, [appId], by);
  const { results } = await onEachNode(db, (ofApps) => listAbandonedOf(db, ofApps, by));
  return results.flat();
}

async function listAbandonedOf(
  db: Db,
  appIds: readonly string[] | null,
  { owner, now }: { owner: string; now: string },
): Promise<Owned[]> {
  const rows = await db
    .selectFrom('imports')
    .select(['app_id', 'id', 'owner'])
    .$if(appIds !== null, (query) => query.where(isAmong(db, 'app_id', appIds ?? [])))
    .where('status', '=', sql.lit('running'))
    .where('owner', '!=', owner)
    .$if(isShared(db), (query) => query.where('alive_until', '<', now))
    .execute();
  return rows.map(({ app_id, ...row }) => ({ appId: app_id, ...row }));
}

/** @returns undefined for an unknown import, another app's, and with a test key for a live one. */
export async function findImport(
  db: Db,
  { appId, mode }: { appId: string; mode: 'live' | 'test' },
  id: string,
): Promise<ImportRow | undefined> {
  return await db
    .selectFrom('imports')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .$if(mode === 'test', (query) => query.where('sandbox', '=', 1))
    .executeTakeFirst();
}

/** Newest first. @param before id of an import. */
export async function listImports(
  db: Db,
  { appId, mode }: { appId: string; mode: 'live' | 'test' },
  { before, limit }: { before: string | null; limit: number },
): Promise<ImportRow[]> {
  return await db
    .selectFrom('imports')
    .selectAll()
    .where('app_id', '=', appId)
    .$if(mode === 'test', (query) => query.where('sandbox', '=', 1))
    .$if(before !== null, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** In order, from a number on. */
export async function listParts(
  db: Db,
  { appId, id }: Pick<Owned, 'appId' | 'id'>,
  { from, limit }: { from: number; limit: number },
): Promise<ImportPart[]> {
  return await db
    .selectFrom('import_parts')
    .selectAll()
    .where('app_id', '=', appId)
    .where('import_id', '=', id)
    .where('number', '>=', from)
    .orderBy('number')
    .limit(limit)
    .execute();
}

/** Deleted links included. */
export async function listLinksByPath(db: Db, appId: string, paths: readonly string[]): Promise<LinkRow[]> {
  return await db
    .selectFrom('links')
    .selectAll()
    .where('app_id', '=', appId)
    .where(isAmongTexts(db, 'path', paths))
    .execute();
}

/** Of all apps. */
export async function listCodes(db: Db, codes: readonly string[]) {
  return await db
    .selectFrom('short_codes')
    .selectAll()
    .where(isAmongTexts(db, 'code', codes))
    .execute();
}

/** Deleted links included. */
export async function listLinksById(db: Db, appId: string, ids: readonly string[]): Promise<LinkRow[]> {
  return await db
    .selectFrom('links')
    .selectAll()
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    .execute();
}

/** Deletes parts, and then imports, that are older; at most `limit` rows. @returns their number. */
export async function dropOldImports(
  db: Db,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const before = isoTime(beforeMs);
  const old = db
    .selectFrom('imports')
    .select('id')
    .where('app_id', '=', appId)
    .where('created_at', '<', before)
    .where('status', '!=', 'running');
  const parts = await db
    .selectFrom('import_parts')
    .select(['import_id', 'number'])
    .where('app_id', '=', appId)
    .where('import_id', 'in', old)
    .limit(limit)
    .execute();
  const numbers = Map.groupBy(parts, (part) => part.import_id);
  for (const [importId, some] of numbers)
    await db
      .deleteFrom('import_parts')
      .where('app_id', '=', appId)
      .where('import_id', '=', importId)
      .where('number', '>=', Math.min(...some.map(({ number }) => number)))
      .where('number', '<=', Math.max(...some.map(({ number }) => number)))
      .execute();
  if (parts.length > 0) return parts.length;
  const { numDeletedRows } = await db
    .deleteFrom('imports')
    .where('app_id', '=', appId)
    .where('created_at', '<', before)
    .where('status', '!=', 'running')
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
