import type { Actor } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import { deepLinkPayload } from '../links/index.ts';
import type { AttributionDeps } from './attribution-deps.ts';
import { findOpenedLink } from './opened-link.ts';
import { recordDirectOpen } from './record-direct-open.ts';
import type { ResolveDeepLinkInput, ResolvedAnswer } from './schemas.ts';

/**
 * Resolves the link that opened the app directly (Universal Link or App Link). Records the open if it has an ID.
 * @throws AppError `request.invalid`, `link.not_found`, `link.expired`; with an ID those of `recordOnce`.
 */
export async function resolveDeepLink(
  deps: AttributionDeps,
  {
    actor,
    connectionAddress,
    input,
  }: { actor: Actor; connectionAddress: string; input: ResolveDeepLinkInput },
): Promise<ResolvedAnswer> {
  const { openId, fingerprint } = input;
  if (!openId) return deepLinkPayload(await findOpenedLink(deps, { actor, input }), false);
  if (!fingerprint)
    throw new AppError('request.invalid', {
      message: 'fingerprint is required with openId. Send at least fingerprint.platform.',
    });
  const call = { ...input, openId, fingerprint };
  return await recordDirectOpen(deps, { actor, connectionAddress, call });
}
