import { type Actor, canSee } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isShortCode, type LinkRow } from './link.ts';
import { findLinkByCode } from './queries.ts';

/** @throws AppError `link.not_found` for unknown and deleted links, other apps' links, and live links with a test key. */
export async function readLink(
  db: Db,
  { actor, shortCode }: { actor: Actor; shortCode: string },
): Promise<LinkRow> {
  const link = isShortCode(shortCode) ? await findLinkByCode(db, actor.appId, shortCode) : undefined;
  if (link === undefined || !canSee(actor, link)) throw new AppError('link.not_found');
  return link;
}
