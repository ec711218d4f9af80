import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { parseNetworks, refusalOf } from '../platform/outgoing/index.ts';

/** @throws AppError that says why nothing may be sent there. What a name leads to is checked at every attempt. */
export function checkUrl(ctx: Ctx, url: string): void {
  const refusal = refusalOf(url, parseNetworks(ctx.config.webhookAllowCidrs));
  if (refusal !== null) throw new AppError('request.invalid', { message: `url ${refusal}.` });
}
