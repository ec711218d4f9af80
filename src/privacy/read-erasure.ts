import { type Actor, canSee } from '../apps/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';
import { type ErasureRequest, findErasureRequest } from './queries.ts';

/** @throws AppError `erasure.not_found`. */
export async function readErasure(
  ctx: Ctx,
  { actor, requestId }: { actor: Actor; requestId: string },
): Promise<ErasureRequest> {
  const request = isUuid(requestId)
    ? await findErasureRequest(ctx.db, actor.appId, requestId.toLowerCase())
    : undefined;
  if (request === undefined || !canSee(actor, request)) throw new AppError('erasure.not_found');
  return request;
}
