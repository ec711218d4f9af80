/** The installs of events that a caller may see, and those that are gone on purpose. */

import { listGoneInstalls, listInstalls } from '../attribution/index.ts';
import { type Actor, canSee } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Secrets } from '../lib/secrets.ts';
import type { InstallSummary } from './event.ts';
import type { RecordEventInput } from './schemas.ts';

export interface KnownInstalls {
  readonly byId: ReadonlyMap<string, InstallSummary>;
  /** Ids of installs that were erased or deleted. */
  readonly gone: ReadonlySet<string>;
}

export async function readInstalls(
  { db, secrets }: { db: Db; secrets: Secrets },
  actor: Actor,
  events: readonly (RecordEventInput | AppError)[],
): Promise<KnownInstalls> {
  const ids = new Set(
    events.flatMap((event) => (event instanceof AppError ? [] : event.installId.toLowerCase())),
  );
  const installs = await listInstalls(db, actor.appId, [...ids]);
  const byId = new Map(installs.filter((row) => canSee(actor, row)).map((install) => [install.id, install]));
  const unsure = [...ids].filter((id) => byId.get(id)?.erased !== null);
  return { byId, gone: await listGoneInstalls(db, { secrets }, actor.appId, unsure) };
}

/** @returns AppError `install.erased`, `install.not_found`. */
export function installOf(
  { byId, gone }: KnownInstalls,
  { installId }: RecordEventInput,
): InstallSummary | AppError {
  const id = installId.toLowerCase();
  if (gone.has(id)) return new AppError('install.erased');
  return byId.get(id) ?? new AppError('install.not_found');
}
