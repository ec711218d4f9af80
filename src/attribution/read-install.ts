import { type Actor, canSee } from '../apps/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';
import { findInstall, type InstallRow, listOpensOfInstall, type OpenRow } from './queries.ts';

/** A phone that opens links all day is shown its newest opens. */
const MAX_OPENS = 100;

/** An install and its newest opens. @throws AppError `install.not_found` for what this caller cannot see. */
export async function readInstall(
  ctx: Ctx,
  { actor, installId }: { actor: Actor; installId: string },
): Promise<{ install: InstallRow; opens: OpenRow[] }> {
  const install = isUuid(installId)
    ? await findInstall(ctx.db, actor.appId, installId.toLowerCase())
    : undefined;
  if (install === undefined || !canSee(actor, install)) throw notFound();
  const opens = await listOpensOfInstall(ctx.db, actor.appId, install.id, MAX_OPENS);
  return { install, opens: opens.filter((open) => canSee(actor, open)) };
}

/** Whoever reads has nothing to record first. */
function notFound(): AppError {
  return new AppError('install.not_found', {
    message:
      'There is no install with this id. Check the id and the key; a test key sees sandbox installs only.',
  });
}
