import type { Actor } from '../auth/index.ts';
import { linkOf, toAnswer } from './answer.ts';
import type { AttributionDeps } from './attribution-deps.ts';
import { givenAddress, toAttributionRequest } from './attribution-request.ts';
import { decide } from './decide.ts';
import { awaitClicks, readEvidence } from './evidence.ts';
import { type DebugAnswer, type DebugAttributionInput, presentTrace } from './schemas.ts';

/** Answers as for an install, without recording or claiming anything. @param explain adds the trace. */
export async function debugAttribution(
  deps: AttributionDeps,
  { actor, call, explain }: { actor: Actor; call: DebugAttributionInput; explain: boolean },
): Promise<DebugAnswer> {
  const address = givenAddress(call);
  const request = await toAttributionRequest(deps, { actor, claimant: 'install', address, call });
  const clicks = await awaitClicks(deps, request);
  const decision = decide(await readEvidence(deps, request, clicks));
  const answer = toAnswer(decision, await linkOf(deps.linkDirectory, decision), null);
  return explain ? { ...answer, explanation: presentTrace(JSON.stringify(decision.trace)) } : answer;
}
