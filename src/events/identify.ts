import { type Actor, canSee } from '../apps/index.ts';
import { findInstall, updateInstallUser } from '../attribution/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import type { IdentifyInput } from './schemas.ts';

/**
 * Links an install to a user in the customer's system. Later events without a user ID of their own get this one.
 * @throws AppError `install.not_found`.
 */
export async function identify(
  ctx: Ctx,
  { actor, input }: { actor: Actor; input: IdentifyInput },
): Promise<void> {
  const installId = input.installId.toLowerCase();
  const install = await findInstall(ctx.db, actor.appId, installId);
  if (install === undefined || !canSee(actor, install)) throw new AppError('install.not_found');
  await updateInstallUser(ctx.db, actor.appId, installId, input.userId);
}
