import type { Actor } from '../apps/index.ts';
import type { Claimant } from '../clicks/index.ts';
import type { AttributionCtx } from './attribution-ctx.ts';
import { type Decision, decide } from './decide.ts';
import { awaitNamedClicks, gatherEvidence } from './evidence.ts';
import { type Question, type SdkCall, toQuestion } from './question.ts';

/**
 * Waits until the clicks made before a call can be found, and reads what is needed to decide on it. `decideNow` looks at
 * the clicks as they are at that moment, and claims none.
 * @param address as for {@link toQuestion}.
 */
export async function prepareDecision(
  ctx: AttributionCtx,
  asked: { actor: Actor; claimant: Claimant; address: string | null; call: SdkCall },
): Promise<{ question: Question; decideNow: () => Promise<Decision> }> {
  const question = await toQuestion(ctx, asked);
  await ctx.clickLog.applied();
  await awaitNamedClicks(ctx, question);
  return { question, decideNow: async () => decide(await gatherEvidence(ctx, question)) };
}
