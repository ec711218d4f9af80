import type { Actor } from '../apps/index.ts';
import { linkOf, toAnswer } from './answer.ts';
import type { AttributionCtx } from './attribution-ctx.ts';
import { prepareDecision } from './prepare-decision.ts';
import { givenAddress } from './question.ts';
import { type DebugAnswer, type DebugAttributionInput, presentTrace } from './schemas.ts';

/**
 * What an install would be answered, by the same code; nothing is recorded and nothing claimed.
 * @param explain adds why.
 */
export async function debugAttribution(
  ctx: AttributionCtx,
  { actor, call, explain }: { actor: Actor; call: DebugAttributionInput; explain: boolean },
): Promise<DebugAnswer> {
  const asked = { actor, claimant: 'install', address: givenAddress(call), call } as const;
  const { decideNow } = await prepareDecision(ctx, asked);
  const decision = await decideNow();
  const answer = toAnswer(decision, await linkOf(ctx, decision), null);
  return explain ? { ...answer, explanation: presentTrace(JSON.stringify(decision.trace)) } : answer;
}
