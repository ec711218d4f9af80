import { findKnownInstall, updateInstallUser } from '../attribution/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Secrets } from '../lib/secrets.ts';
import type { IdentifyInput } from './schemas.ts';

/**
 * Links an install to a user. Later events of the install without a user get this one.
 * @throws AppError `install.not_found`, `install.erased`.
 */
export async function identify(
  { db, secrets }: { db: Db; secrets: Secrets },
  { actor, input }: { actor: Actor; input: IdentifyInput },
): Promise<void> {
  const install = await findKnownInstall(db, { secrets }, actor, input.installId);
  if (install === undefined) throw new AppError('install.not_found');
  await updateInstallUser(db, actor.appId, install.id, input.userId);
}
