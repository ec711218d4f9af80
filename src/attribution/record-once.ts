import type { Compilable } from 'kysely';
import { type Actor, canSee } from '../apps/index.ts';
import { type Claimant, claimClick } from '../clicks/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { addCounts, type CountedRecord, toCounts } from '../statistics/index.ts';
import { insertOutbox, outboxOf, type Subscription, type WebhookEvent } from '../webhooks/index.ts';
import type { AttributionCtx } from './attribution-ctx.ts';
import type { Decision } from './decide.ts';
import { prepareDecision } from './prepare-decision.ts';
import { addressOf, type Question, type SdkCall } from './question.ts';

/** What installs and opens have in common: they are attributed, claim a click, and are recorded once. */
interface Recording<Answer> {
  readonly actor: Actor;
  readonly claimant: Claimant;
  readonly call: SdkCall;
  /** Made by the client: a retry with it records nothing new and gets the first answer. */
  readonly givenId: string | null | undefined;
  readonly connectionAddress: string;
  find(ctx: Ctx, id: string): Promise<{ sandbox: number; answer: string } | undefined>;
  /** Reads what else the record needs, before the transaction that stores it. */
  prepare(found: { id: string; question: Question; decision: Decision }): Promise<Prepared<Answer>>;
}

interface Prepared<Answer> {
  readonly answer: Answer;
  /** Stores the record, in the transaction that claims its click; it changes no row when one with this id is there. */
  readonly insert: Compilable;
  /** What the record is counted by. */
  readonly counted: CountedRecord;
  /** What webhooks tell of it; null where they tell nothing. */
  readonly event: WebhookEvent | null;
}

/** A record with the click it is to claim, and who is told of it. */
interface Claim {
  readonly question: Question;
  readonly decision: Decision;
  readonly id: string;
  readonly prepared: Prepared<unknown>;
  readonly subscriptions: readonly Subscription[];
}

/** Each attempt loses one click to somebody faster. */
const MAX_ATTEMPTS = 100;

/**
 * Attributes an install or open and records it, with its claim and what webhooks are told; or gives the first answer
 * where it was recorded before.
 * @throws AppError `record.id_taken` where the given id is that of a record which this caller cannot see;
 * `install.daily_limit`.
 */
export async function recordOnce<Answer>(ctx: AttributionCtx, recording: Recording<Answer>): Promise<Answer> {
  return await ctx.recordings.during(() => record(ctx, recording));
}

async function record<Answer>(ctx: AttributionCtx, recording: Recording<Answer>): Promise<Answer> {
  const { actor, claimant, call } = recording;
  const givenId = recording.givenId?.toLowerCase() ?? null;
  const earlier = givenId === null ? null : await earlierAnswer(ctx, recording, givenId);
  if (earlier !== null) return earlier;

  const address = addressOf(actor, call, recording.connectionAddress);
  const { question, decideNow } = await prepareDecision(ctx, { actor, claimant, address, call });
  const usage = ctx.installBound.usageOf(actor, question.ipHash);

  const id = givenId ?? ctx.ids.next();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // Not before the waits that are behind it: a webhook that was made meanwhile is told.
    const [decision, subscriptions] = await Promise.all([decideNow(), ctx.subscriptions.get(actor.appId)]);
    const prepared = await recording.prepare({ id, question, decision });
    const outcome = await claimAndInsert(ctx, { question, decision, id, prepared, subscriptions });
    if (outcome === 'recorded') {
      usage?.add(1, 0);
      return prepared.answer;
    }
    // A retry that arrived at the same time was faster.
    const first = outcome === 'recorded_before' ? await earlierAnswer(ctx, recording, id) : null;
    if (first !== null) return first;
  }
  throw new Error(`a click could not be claimed in ${MAX_ATTEMPTS} attempts`);
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

/**
 * All or nothing. Everything was read before: what changed since shows in the claim, which holds only while nobody has
 * the click, and the loser looks again at what is left.
 */
async function claimAndInsert(
  ctx: AttributionCtx,
  {
    question: { app, claimant: by, explicitToken },
    decision: { click, method },
    id,
    prepared: { insert, counted, event },
    subscriptions,
  }: Claim,
): Promise<'recorded' | 'click_taken' | 'recorded_before'> {
  // A token from the clipboard serves once, whoever brings it.
  const isSole = method === 'CLICK_ID' && explicitToken !== 'none';
  const claim = click === null ? [] : [claimClick(ctx.db, app.id, click.id, { by, id, isSole })];
  const outbox = outboxOf(ctx, app.id, subscriptions, event === null ? [] : [event]);
  // Last, since whoever adds to the same count waits from here on.
  const count = addCounts(ctx.db, toCounts(ctx, by, [counted]));
  const failed = await ctx.store.commit([...claim, insert, ...insertOutbox(ctx.db, outbox), count]);
  if (failed !== null) return failed < claim.length ? 'click_taken' : 'recorded_before';
  ctx.courier.wake(outbox.deliveries);
  return 'recorded';
}
