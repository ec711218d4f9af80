/** The steps that record an install or an open once, with its claim, its webhook message and its counts. */
import type { AppDirectory } from '../apps/index.ts';
import { type Actor, canSee } from '../auth/index.ts';
import { type Claimant, type ClickLog, type ClickWaiting, claimClick } from '../click-log/index.ts';
import type { Write } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import type { Countries } from '../lib/countries.ts';
import type { InFlight } from '../lib/in-flight.ts';
import type { LinkDirectory, LongLinks } from '../links/index.ts';
import type { AppleAds } from '../networks/index.ts';
import { insertCounts, type PendingCount, type RecordCounters, type Usage } from '../stats/index.ts';
import {
  createOutbox,
  type Dispatcher,
  type DueAttempt,
  type EnabledWebhooks,
  insertOutbox,
  type WebhookEvent,
} from '../webhooks/index.ts';
import {
  type AttributionRequest,
  addressOf,
  type SdkCall,
  toAttributionRequest,
} from './attribution-request.ts';
import type { InstallLimit } from './daily-limit.ts';
import type { Decision } from './decide.ts';
import { awaitClicks, type ReadClicks } from './evidence.ts';
import type { Measure } from './shadow/measure.ts';

/** What installs and opens need to record one. */
export interface RecordingDeps
  extends ClickWaiting,
    Pick<Foundation, 'store' | 'db' | 'clock' | 'ids' | 'config' | 'secrets' | 'log'> {
  readonly countries: Countries;
  readonly appDirectory: AppDirectory;
  readonly linkDirectory: LinkDirectory;
  readonly longLinks: LongLinks;
  readonly clickLog: Pick<ClickLog, 'applied'>;
  readonly webhooks: EnabledWebhooks;
  readonly dispatcher: Pick<Dispatcher, 'wake'>;
  readonly appleAds: Pick<AppleAds, 'makeReceiver'>;
  readonly installLimit: InstallLimit;
  readonly recordings: InFlight;
  readonly measure: Pick<Measure, 'note'>;
  readonly counters: RecordCounters;
}

/** Who sends an install or open. */
export interface Sender {
  readonly actor: Actor;
  readonly connectionAddress: string;
  /** The monotonic start of the batch that the record is part of, whose items share their waits for clicks. */
  readonly batchSinceMs?: number | undefined;
}

/** A call within its address's daily limit, whose clicks can be read. */
export interface Received {
  readonly request: AttributionRequest;
  /** Read while the call waited for them. */
  readonly clicks: ReadClicks | undefined;
  readonly usage: Usage | null;
}

/** A record to store. */
export interface NewRecord<Answer> {
  readonly id: string;
  readonly answer: Answer;
  /** Whose click is claimed; null claims none. */
  readonly decision: Decision | null;
  /** Change no row if what the record is to use alone was used since it was read. */
  readonly claims?: readonly Write[];
  /** Changes no row if a record with this ID exists. */
  readonly insert: Write;
  /** Of other rows, in the same transaction. */
  readonly changes?: readonly Write[];
  readonly counts: readonly PendingCount[];
  readonly events: readonly WebhookEvent[];
  /** Among the changes, to begin after the commit. */
  readonly attempts?: readonly DueAttempt[];
}

/**
 * The answer that a retry gets.
 * @param stored the record with the ID of the retry.
 * @throws AppError `record.id_taken` if the caller cannot see the record.
 */
export function firstAnswer<Answer>(
  actor: Actor,
  stored: { sandbox: number; answer: string } | undefined,
): Answer | null {
  if (stored === undefined) return null;
  if (!canSee(actor, stored)) throw new AppError('record.id_taken');
  return JSON.parse(stored.answer) as Answer;
}

/**
 * Normalises a call and waits for its clicks.
 * @param call.claimant null for a record that claims no click.
 * @throws AppError `request.invalid`, `clicks.behind`, `install.daily_limit`.
 */
export async function receive(
  deps: RecordingDeps,
  {
    actor,
    connectionAddress,
    batchSinceMs,
    claimant,
    call,
  }: Sender & { claimant: Claimant | null; call: SdkCall },
): Promise<Received> {
  const address = addressOf(actor, call, connectionAddress);
  const request = await toAttributionRequest(deps, { actor, claimant: claimant ?? 'open', address, call });
  const clicks = claimant === null ? undefined : await awaitClicks(deps, request, batchSinceMs);
  return { request, clicks, usage: deps.installLimit.usageOf(actor, request.ipHash) };
}

/** Each failed attempt loses one click, or other evidence, to a concurrent record. */
const MAX_ATTEMPTS = 100;

/** Decides and stores until what the decision claims can be claimed. @param attempt returns null to go on. */
export async function untilRecorded<Answer>(
  received: Received,
  attempt: (received: Received) => Promise<Answer | null>,
): Promise<Answer> {
  for (let count = 0; count < MAX_ATTEMPTS; count++) {
    // Clicks that were read before the first attempt may be claimed by now.
    const answer = await attempt(count === 0 ? received : { ...received, clicks: undefined });
    if (answer !== null) return answer;
  }
  throw new Error(`Failed to claim a click in ${MAX_ATTEMPTS} attempts`);
}

/** Commits everything or nothing. A claim fails if its click was claimed after the evidence was read. */
export async function storeRecord(
  { db, store, clock, ids, dispatcher, webhooks }: RecordingDeps,
  { request: { app, claimant: by, explicit }, usage }: Received,
  { id, decision, claims = [], insert, changes = [], counts, events, attempts = [] }: NewRecord<unknown>,
): Promise<'recorded' | 'taken' | 'recorded_before'> {
  // A clipboard token can be used once, by an install or an open.
  const isSole = decision?.method === 'CLICK_ID' && explicit?.token === 'valid';
  const clickId = decision?.click?.id;
  const click = clickId === undefined ? [] : [claimClick(db, app.id, clickId, { by, id, isSole })];
  const claimed = [...click, ...claims];
  // Read after the waits for clicks, to include webhooks created during them.
  const enabled = await webhooks.get(app.id);
  const outbox = createOutbox({ clock, ids }, app.id, enabled, events);
  const count = insertCounts(db, counts);
  const failed = await store.commit(
    [...claimed, insert, ...changes, ...(await insertOutbox(db, outbox)), count],
    app.id,
  );
  if (failed !== null) return failed < claimed.length ? 'taken' : 'recorded_before';
  usage?.add(1, 0);
  dispatcher.wake([...outbox.attempts, ...attempts]);
  return 'recorded';
}
