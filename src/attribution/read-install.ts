import { type Actor, canSee } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { findVisibleInstall, type InstallRow, listOpensOfInstall, type OpenRow } from './queries.ts';

const MAX_OPENS = 100;

/** Reads an install and its newest 100 opens. @throws AppError `install.not_found`. */
export async function readInstall(
  db: Db,
  { actor, installId }: { actor: Actor; installId: string },
): Promise<{ install: InstallRow; opens: OpenRow[] }> {
  const install = await findVisibleInstall(db, actor, installId);
  if (install === undefined) throw installNotFound();
  const opens = await listOpensOfInstall(db, actor.appId, install.id, MAX_OPENS);
  return { install, opens: opens.filter((open) => canSee(actor, open)) };
}

/** The catalogue's message asks to record the install first, which does not apply to management calls. */
export function installNotFound(): AppError {
  return new AppError('install.not_found', {
    message:
      'There is no install with this id. Check the id and the key; a test key sees sandbox installs only.',
  });
}
