import type { Actor } from '../auth/index.ts';
import { inviterOf } from '../links/index.ts';
import { type Finding, presentFindings, readUnused } from '../networks/index.ts';
import { attribute, toAnswer } from './answer.ts';
import { givenAddress, toAttributionRequest } from './attribution-request.ts';
import { awaitClicks } from './evidence.ts';
import type { RecordingDeps } from './record-once.ts';
import type { DebugAnswer, DebugAttributionInput } from './schemas.ts';
import { presentTrace } from './trace.ts';

/** Answers as for an install, without recording or claiming anything. @param explain adds the trace. */
export async function debugAttribution(
  deps: RecordingDeps,
  { actor, call, explain }: { actor: Actor; call: DebugAttributionInput; explain: boolean },
): Promise<DebugAnswer> {
  const address = givenAddress(call);
  const request = await toAttributionRequest(deps, { actor, claimant: 'install', address, call });
  const { decision, link } = await attribute(deps, { request, clicks: await awaitClicks(deps, request) });
  const answer = toAnswer(decision, link, { installId: null, invitedBy: inviterOf(link, null) });
  if (!explain) return answer;
  const { claim, findings } = await readUnused(deps, request, {
    ...call,
    ...{ platform: request.device.platform, deterministicOnly: request.deterministicOnly },
  });
  const network = presentFindings(findings.map(asDryRun));
  return { ...answer, network: claim, explanation: { ...presentTrace(decision.trace), network } };
}

function asDryRun(finding: Finding): Finding {
  return finding.outcome === 'waiting' ? { ...finding, outcome: 'not_asked' } : finding;
}
