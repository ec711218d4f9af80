import { type SqlBool, sql } from 'kysely';
import { type Db, isUniqueViolation } from '../../db/index.ts';
import { AppError } from '../../errors.ts';
import { chunks } from '../../lib/chunks.ts';

const PATHS_AT_ONCE = 500;

/** The link that a path belongs to, for ever. */
export interface PathOwner {
  readonly code: string;
  readonly passPath: boolean;
  readonly isDeleted: boolean;
}

/** By path, deleted links included. */
export async function findPaths(
  db: Db,
  appId: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, PathOwner>> {
  const owners = new Map<string, PathOwner>();
  for (const some of chunks(paths, PATHS_AT_ONCE)) {
    const links = await db
      .selectFrom('links')
      .select(['path', 'short_code', 'pass_path', 'deleted_at'])
      .where('app_id', '=', appId)
      .where('path', 'in', some)
      .$narrowType<{ path: string }>()
      .execute();
    for (const { path, short_code: code, pass_path, deleted_at } of links)
      owners.set(path, { code, passPath: pass_path === 1, isDeleted: deleted_at !== null });
  }
  return owners;
}

/** The only link that has the path in some letters, small or capital, without deleted ones. */
export async function findPathsByLetters(
  db: Db,
  appId: string,
  lowerPaths: readonly string[],
): Promise<ReadonlyMap<string, { readonly code: string }>> {
  const lower = sql<string>`lower(path)`;
  const found = new Map<string, { readonly code: string }>();
  for (const some of chunks(lowerPaths, PATHS_AT_ONCE)) {
    const links = await db
      .selectFrom('links')
      .select(({ fn }) => [lower.as('letters'), fn.min('short_code').as('code')])
      .where('app_id', '=', appId)
      .where(lower, 'in', some)
      .where('deleted_at', 'is', null)
      .groupBy(lower)
      .having(sql<SqlBool>`count(*) = 1`)
      .execute();
    for (const { letters, code } of links) found.set(letters, { code });
  }
  return found;
}

/** By a link that has or had it. */
export async function isPathTaken(db: Db, appId: string, path: string): Promise<boolean> {
  const link = await db
    .selectFrom('links')
    .select('id')
    .where('app_id', '=', appId)
    .where('path', '=', path)
    .executeTakeFirst();
  return link !== undefined;
}

/** A unique violation on a changed link is always about its path. */
export function rethrowPathTaken(error: unknown): never {
  throw isUniqueViolation(error) ? new AppError('link.path_taken', { cause: error }) : error;
}
