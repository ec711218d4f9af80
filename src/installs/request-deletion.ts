import { findVisibleInstall, installNotFound } from '../attribution/index.ts';
import type { Actor } from '../auth/index.ts';
import { chooseInstalls, readFilter } from './choose-installs.ts';
import { type DeletionDeps, deleteInstalls } from './delete-installs.ts';
import { type DeleteInstallsInput, type InstallsDeletedAnswer, MAX_INSTALLS } from './schemas.ts';

/** Opens and events per request, so that the response takes seconds at most. */
const MAX_RECORDS = 5_000;

/** Deletes an install with all its records. @throws AppError `install.not_found`. */
export async function deleteInstall(
  deps: DeletionDeps,
  { actor, installId }: { actor: Actor; installId: string },
): Promise<void> {
  const install = await findVisibleInstall(deps.db, actor, installId);
  if (install === undefined) throw installNotFound();
  await deleteInstalls(deps, {
    actor,
    installIds: [install.id],
    filter: { installIds: 1 },
    maxRecords: Number.POSITIVE_INFINITY,
  });
}

/** Deletes the first matching installs; a dry run counts all of them. */
export async function deleteMatching(
  deps: DeletionDeps,
  { actor, input }: { actor: Actor; input: DeleteInstallsInput },
): Promise<InstallsDeletedAnswer> {
  const { dryRun = false, installIds: ids, ...conditions } = input;
  const matches = chooseInstalls(deps.db, actor, await readFilter(deps.db, actor, input));
  const installIds: string[] = [];
  let matching = 0;
  for await (const installs of matches) {
    matching += installs.length;
    if (dryRun) continue;
    installIds.push(...installs.map(({ id }) => id));
    if (installIds.length > MAX_INSTALLS) break;
  }
  if (dryRun) return { installs: matching, opens: 0, events: 0, isComplete: matching === 0 };
  const chosen = installIds.slice(0, MAX_INSTALLS);
  const filter = { installIds: ids?.length, ...conditions };
  const deleted = await deleteInstalls(deps, { actor, installIds: chosen, filter, maxRecords: MAX_RECORDS });
  return { ...deleted, isComplete: deleted.isComplete && chosen.length === installIds.length };
}
