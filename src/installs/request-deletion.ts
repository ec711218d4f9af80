import type { Actor } from '../apps/index.ts';
import { canSee } from '../apps/index.ts';
import { findInstall } from '../attribution/index.ts';
import { AppError } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';
import { chooseInstalls, readFilter } from './choose-installs.ts';
import { type DeletionCtx, deleteInstalls } from './delete-installs.ts';
import { type DeleteInstallsInput, type InstallsDeletedAnswer, MAX_INSTALLS } from './schemas.ts';

/** Opens and events in one deletion of many installs, so that an answer comes within seconds. */
const MAX_RECORDS = 5_000;

/** Deletes one install with all its records. @throws AppError `install.not_found` for what the caller cannot see. */
export async function deleteInstall(
  ctx: DeletionCtx,
  { actor, installId }: { actor: Actor; installId: string },
): Promise<void> {
  const id = installId.toLowerCase();
  const install = isUuid(id) ? await findInstall(ctx.db, actor.appId, id) : undefined;
  if (install === undefined || !canSee(actor, install))
    throw new AppError('install.not_found', {
      message:
        'There is no install with this id. Check the id and the key; a test key sees sandbox installs only.',
    });
  await deleteInstalls(ctx, { actor, installIds: [id], filter: { installIds: 1 }, maxRecords: null });
}

/** Deletes the first of the installs that match, or counts all of them. */
export async function deleteMatching(
  ctx: DeletionCtx,
  { actor, input }: { actor: Actor; input: DeleteInstallsInput },
): Promise<InstallsDeletedAnswer> {
  // Named one by one: the body may have fields that the audit log must not keep.
  const { dryRun = false, installIds: ids, sameAddressAs, from, to, shortCode, method } = input;
  const conditions = { sameAddressAs, from, to, shortCode, method };
  const checked = await readFilter(ctx, actor, { installIds: ids, ...conditions });
  const installIds: string[] = [];
  let matching = 0;
  for await (const installs of chooseInstalls(ctx, actor, checked)) {
    matching += installs.length;
    if (dryRun) continue;
    installIds.push(...installs.map(({ id }) => id));
    if (installIds.length > MAX_INSTALLS) break;
  }
  if (dryRun) return { installs: matching, opens: 0, events: 0, isComplete: matching === 0 };
  const some = installIds.slice(0, MAX_INSTALLS);
  const filter = { installIds: ids?.length, ...conditions };
  const deleted = await deleteInstalls(ctx, { actor, installIds: some, filter, maxRecords: MAX_RECORDS });
  return { ...deleted, isComplete: deleted.isComplete && some.length === installIds.length };
}
