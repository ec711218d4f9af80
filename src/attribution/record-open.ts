import { linkOf, namedPayload, outcomeColumns, toAnswer } from './answer.ts';
import type { AttributionDeps } from './attribution-deps.ts';
import { decide } from './decide.ts';
import { readEvidence } from './evidence.ts';
import { findKnownInstall } from './gone-installs.ts';
import { findOpenForRetry, newOpen, storageOf } from './open.ts';
import { recordOnce, type Sender } from './record-once.ts';
import type { OpenAnswer, RecordOpenInput } from './schemas.ts';
import { openEvent } from './webhook-events.ts';

/** Records a deferred deep-link open. */
export async function recordOpen(
  deps: AttributionDeps,
  { call, ...sender }: Sender & { call: RecordOpenInput },
): Promise<OpenAnswer> {
  const { actor } = sender;
  const { fingerprint, clickId, debugBuild, deterministicOnly } = call;
  return await recordOnce(deps, {
    ...sender,
    claimant: 'open',
    // Leaves out unvalidated fields that only installs have, such as the Play referrer.
    call: { fingerprint, clickId, debugBuild, deterministicOnly },
    givenId: call.openId,
    find: (id) => findOpenForRetry(deps.db, { appId: actor.appId, id, isDirect: false }),
    async prepare({ id, request, clicks }) {
      const evidence = await readEvidence(deps, request, clicks);
      const decision = decide(evidence);
      // An open may arrive before its install; it is then stored without one.
      const install = call.installId
        ? await findKnownInstall(deps.db, deps, actor, call.installId)
        : undefined;
      const link = await linkOf(deps.linkDirectory, decision);
      const credited = toAnswer(decision, link, install?.id ?? null);
      const named = decision.method === 'CLICK_ID' ? null : await namedPayload(deps.linkDirectory, evidence);
      const answer = { ...credited, ...(named !== null && { deepLinkPayload: named }), openId: id };
      const open = newOpen(
        deps,
        { id, request, install, call },
        outcomeColumns(decision, { answer, country: request.country }),
      );
      const event = openEvent(open, { appName: request.app.name, decision, link });
      return { answer, decision, event, ...storageOf(deps, open, install) };
    },
  });
}
