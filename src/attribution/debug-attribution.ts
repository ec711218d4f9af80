import type { Actor } from '../apps/index.ts';
import { linkOf, toAnswer } from './answer.ts';
import type { AttributionCtx } from './attribution-ctx.ts';
import { decide } from './decide.ts';
import { awaitNamedClicks, gatherEvidence } from './evidence.ts';
import { givenAddress, toQuestion } from './question.ts';
import { type DebugAnswer, type DebugAttributionInput, presentTrace } from './schemas.ts';

/**
 * What an install would be answered, by the same code; nothing is recorded and nothing claimed.
 * @param explain adds why.
 */
export async function debugAttribution(
  ctx: AttributionCtx,
  { actor, call, explain }: { actor: Actor; call: DebugAttributionInput; explain: boolean },
): Promise<DebugAnswer> {
  const question = await toQuestion(ctx, { actor, claimant: 'install', address: givenAddress(call), call });
  await ctx.clickLog.applied();
  await awaitNamedClicks(ctx, question);
  const knowledge = await ctx.knowledgeBase.of(actor.appId);
  const decision = decide(await gatherEvidence(ctx, question), knowledge);
  const answer = toAnswer(decision, await linkOf(ctx, decision), null);
  return explain ? { ...answer, explanation: presentTrace(JSON.stringify(decision.trace)) } : answer;
}
