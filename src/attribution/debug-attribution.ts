import type { Actor } from '../apps/index.ts';
import type { ClickLog } from '../clicks/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { toAnswer } from './claim.ts';
import { decide } from './decide.ts';
import { awaitFreshClicks, gatherEvidence } from './evidence.ts';
import { givenAddress, toQuestion } from './question.ts';
import type { AttributionAnswer, DebugAttributionInput } from './schemas.ts';

/** What an install would be answered, by the same code; nothing is recorded and nothing claimed. */
export async function debugAttribution(
  ctx: Ctx & { clickLog: ClickLog },
  { actor, call }: { actor: Actor; call: DebugAttributionInput },
): Promise<AttributionAnswer> {
  const question = await toQuestion(ctx, { actor, claimant: 'install', address: givenAddress(call), call });
  await ctx.clickLog.applied();
  await awaitFreshClicks(ctx, question);
  return await toAnswer(ctx, decide(await gatherEvidence(ctx, question)), null);
}
