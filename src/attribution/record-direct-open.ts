import type { Actor } from '../auth/index.ts';
import { deepLinkPayload } from '../links/index.ts';
import type { AttributionDeps } from './attribution-deps.ts';
import { findKnownInstall } from './gone-installs.ts';
import { DIRECT, findOpenForRetry, newOpen, storageOf } from './open.ts';
import { findOpenedLink } from './opened-link.ts';
import { recordOnce } from './record-once.ts';
import type { FingerprintInput, ResolveDeepLinkInput, ResolvedAnswer } from './schemas.ts';
import { directOpenEvent } from './webhook-events.ts';

interface DirectOpenCall extends ResolveDeepLinkInput {
  readonly openId: string;
  readonly fingerprint: FingerprintInput;
}

/** Records an open by the link itself. It belongs to the link without a click, so it claims none. */
export async function recordDirectOpen(
  deps: AttributionDeps,
  { actor, connectionAddress, call }: { actor: Actor; connectionAddress: string; call: DirectOpenCall },
): Promise<ResolvedAnswer> {
  const { fingerprint, debugBuild, deterministicOnly } = call;
  return await recordOnce(deps, {
    actor,
    claimant: null,
    call: { fingerprint, debugBuild, deterministicOnly },
    givenId: call.openId,
    connectionAddress,
    find: (id) => findOpenForRetry(deps.db, { appId: actor.appId, id, isDirect: true }),
    async prepare({ id, request }) {
      const link = await findOpenedLink(deps, { actor, input: call });
      const install = call.installId
        ? await findKnownInstall(deps.db, deps, actor, call.installId)
        : undefined;
      const { shortCode, campaignId } = link;
      const answer = { ...deepLinkPayload(link, false), openId: id, shortCode, campaignId };
      const open = newOpen(
        deps,
        { id, request, install, call: { fingerprint, deterministicOnly } },
        {
          attribution_method: DIRECT,
          click_id: null,
          link_id: link.id,
          campaign_id: campaignId,
          country: request.country,
          referrer: null,
          utm: null,
          confidence: null,
          answer: JSON.stringify(answer),
          trace: JSON.stringify({ method: DIRECT }),
        },
      );
      const event = directOpenEvent(open, { appName: request.app.name, link });
      return { answer, decision: null, event, ...storageOf(deps, open, install) };
    },
  });
}
