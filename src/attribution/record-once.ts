import type { Compilable } from 'kysely';
import { type Actor, canSee } from '../auth/index.ts';
import { type Claimant, claimClick } from '../click-log/index.ts';
import { AppError } from '../errors.ts';
import { insertFacts, type PendingCount } from '../stats/index.ts';
import { createOutbox, insertOutbox, type Subscription, type WebhookEvent } from '../webhooks/index.ts';
import type { AttributionDeps } from './attribution-deps.ts';
import {
  type AttributionRequest,
  addressOf,
  type SdkCall,
  toAttributionRequest,
} from './attribution-request.ts';
import type { Decision } from './decide.ts';
import { awaitClicks, type ReadClicks } from './evidence.ts';

/** Who sends an install or open. */
export interface Sender {
  readonly actor: Actor;
  readonly connectionAddress: string;
  /** The monotonic start of the batch that the record is part of, whose items share their waits for clicks. */
  readonly batchSinceMs?: number | undefined;
}

/** An install or open to record. */
interface Recording<Answer> extends Sender {
  /** Null for an open by the link itself, which has no click. */
  readonly claimant: Claimant | null;
  readonly call: SdkCall;
  /** Made by the client: a retry with it records nothing new and gets the first answer. */
  readonly givenId: string | null | undefined;
  find(id: string): Promise<{ sandbox: number; answer: string } | undefined>;
  /** Decides on the click and reads what else the record needs, before the transaction. */
  prepare(asked: {
    id: string;
    request: AttributionRequest;
    clicks?: ReadClicks | undefined;
  }): Promise<Prepared<Answer>>;
}

interface Prepared<Answer> {
  readonly answer: Answer;
  /** Whose click is claimed; null claims none. */
  readonly decision: Decision | null;
  /** Changes no row if a record with this ID exists. */
  readonly insert: Compilable;
  /** Of other rows, in the same transaction. */
  readonly changes?: readonly Compilable[];
  readonly facts: readonly PendingCount[];
  readonly event: WebhookEvent | null;
}

/** Each failed attempt loses one click to a concurrent record. */
const MAX_ATTEMPTS = 100;

/**
 * Attributes an install or open and stores it with its claim, its webhook deliveries and its count. A retry gets the
 * stored answer.
 * @throws AppError `record.id_taken` if the caller cannot see the record with the given ID; `install.daily_limit`.
 */
export async function recordOnce<Answer>(
  deps: AttributionDeps,
  recording: Recording<Answer>,
): Promise<Answer> {
  return await deps.recordings.during(() => record(deps, recording));
}

async function record<Answer>(deps: AttributionDeps, recording: Recording<Answer>): Promise<Answer> {
  const { actor, claimant, call } = recording;
  const givenId = recording.givenId?.toLowerCase() ?? null;
  const earlier = givenId === null ? null : await earlierAnswer(recording, givenId);
  if (earlier !== null) return earlier;

  const address = addressOf(actor, call, recording.connectionAddress);
  const request = await toAttributionRequest(deps, { actor, claimant: claimant ?? 'open', address, call });
  let clicks = claimant === null ? undefined : await awaitClicks(deps, request, recording.batchSinceMs);
  const usage = deps.installLimit.usageOf(actor, request.ipHash);

  const id = givenId ?? deps.ids.next();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // Read after the waits above, to include webhooks created during them.
    const [prepared, subscriptions] = await Promise.all([
      recording.prepare({ id, request, clicks }),
      deps.subscriptions.get(actor.appId),
    ]);
    const outcome = await claimAndInsert(deps, { request, id, prepared, subscriptions });
    if (outcome === 'recorded') {
      usage?.add(1, 0);
      return prepared.answer;
    }
    clicks = undefined;
    const first = outcome === 'recorded_before' ? await earlierAnswer(recording, id) : null;
    if (first !== null) return first;
  }
  throw new Error(`Failed to claim a click in ${MAX_ATTEMPTS} attempts`);
}

async function earlierAnswer<Answer>(recording: Recording<Answer>, id: string): Promise<Answer | null> {
  const stored = await recording.find(id);
  if (stored === undefined) return null;
  if (!canSee(recording.actor, stored)) throw new AppError('record.id_taken');
  return JSON.parse(stored.answer) as Answer;
}

/** Commits everything or nothing. The claim fails if the click was claimed after the evidence was read. */
async function claimAndInsert(
  { db, store, clock, ids, dispatcher }: AttributionDeps,
  {
    request: { app, claimant: by, explicit },
    id,
    prepared: { decision, insert, changes = [], facts, event },
    subscriptions,
  }: {
    request: AttributionRequest;
    id: string;
    prepared: Prepared<unknown>;
    subscriptions: readonly Subscription[];
  },
): Promise<'recorded' | 'click_taken' | 'recorded_before'> {
  // A clipboard token can be used once, by an install or an open.
  const isSole = decision?.method === 'CLICK_ID' && explicit?.token === 'valid';
  const clickId = decision?.click?.id;
  const claim = clickId === undefined ? [] : [claimClick(db, app.id, clickId, { by, id, isSole })];
  const outbox = createOutbox({ clock, ids }, app.id, subscriptions, event === null ? [] : [event]);
  const count = insertFacts(db, facts);
  const failed = await store.commit(
    [...claim, insert, ...changes, ...insertOutbox(db, outbox), count],
    app.id,
  );
  if (failed !== null) return failed < claim.length ? 'click_taken' : 'recorded_before';
  dispatcher.wake(outbox.deliveries);
  return 'recorded';
}
