import { type Actor, canSee } from '../apps/index.ts';
import type { Claimant } from '../clicks/index.ts';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import type { AttributionCtx } from './attribution-ctx.ts';
import { decideAndClaim } from './claim.ts';
import type { Decision } from './decide.ts';
import { awaitFreshClicks, type Question } from './evidence.ts';
import { addressOf, type SdkCall, toQuestion } from './question.ts';

/** What installs and opens have in common: they are attributed, claim a click, and are recorded once. */
export interface Recording<Answer> {
  readonly actor: Actor;
  readonly claimant: Claimant;
  readonly call: SdkCall;
  /** Made by the client: a retry with it records nothing new and gets the first answer. */
  readonly givenId: string | null | undefined;
  readonly connectionAddress: string;
  find(ctx: Ctx, id: string): Promise<{ sandbox: number; answer: string } | undefined>;
  /** Stores the record in the transaction that claimed its click. Null when one with this id is there. */
  insert(tx: Ctx, found: { id: string; question: Question; decision: Decision }): Promise<Answer | null>;
}

export async function recordOnce<Answer>(ctx: AttributionCtx, recording: Recording<Answer>): Promise<Answer> {
  const { actor, claimant, call } = recording;
  const givenId = recording.givenId?.toLowerCase() ?? null;
  const earlier = givenId === null ? null : await earlierAnswer(ctx, recording, givenId);
  if (earlier !== null) return earlier;

  const address = addressOf(actor, call, recording.connectionAddress);
  const question = await toQuestion(ctx, { actor, claimant, address, call });
  await ctx.clickLog.applied();
  await awaitFreshClicks(ctx, question);
  const knowledge = await ctx.knowledgeBase.of(actor.appId);

  const id = givenId ?? ctx.ids.next();
  try {
    return await inTransaction(ctx, async (tx) => {
      const decision = await decideAndClaim(tx, question, knowledge, id);
      return (await recording.insert(tx, { id, question, decision })) ?? refuse();
    });
  } catch (error) {
    const answer = error instanceof RecordedMeanwhile ? await earlierAnswer(ctx, recording, id) : null;
    if (answer === null) throw error;
    return answer;
  }
}

async function earlierAnswer<Answer>(
  ctx: Ctx,
  recording: Recording<Answer>,
  id: string,
): Promise<Answer | null> {
  const record = await recording.find(ctx, id);
  if (record === undefined) return null;
  if (!canSee(recording.actor, record)) throw new AppError('record.id_taken');
  return JSON.parse(record.answer) as Answer;
}

/** A retry that arrived at the same time was faster: rolls the claim back. */
class RecordedMeanwhile extends Error {}

function refuse(): never {
  throw new RecordedMeanwhile();
}
