import { type Actor, canSee } from '../apps/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { isShortCode, type LinkRow } from './link.ts';
import { findLinkByCode } from './queries.ts';

/** @throws AppError `link.not_found` for what this caller cannot see: unknown, deleted, foreign, live to a test key. */
export async function readLink(
  ctx: Ctx,
  { actor, shortCode }: { actor: Actor; shortCode: string },
): Promise<LinkRow> {
  const link = isShortCode(shortCode) ? await findLinkByCode(ctx.db, actor.appId, shortCode) : undefined;
  if (link === undefined || !canSee(actor, link)) throw new AppError('link.not_found');
  return link;
}
