import { continueChange, recordChange } from '../audit/index.ts';
import type { Actor } from '../auth/index.ts';
import { type Db, isAmong } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isMoment, isoTime, LATEST_MS } from '../lib/clock.ts';
import { leastIdAt, uuidTimeMs } from '../lib/ids.ts';
import {
  type Dispatcher,
  type DueAttempt,
  findPauses,
  insertDue,
  listFailures,
  listWaiting,
  takeFailures,
  takeWaiting,
  toDue,
  type Waiting,
} from './attempts/index.ts';
import { readOwnWebhook } from './queries.ts';
import { aboutWebhook, CODES, type MadeKind, webhookChange } from './webhook.ts';

/** Of each kind in one transaction, so that it is short. */
const MESSAGES_AT_ONCE = 250;

type RecoverDeps = Pick<Foundation, 'db' | 'clock' | 'ids'> & { readonly dispatcher: Dispatcher };

/** What is recovered. */
interface Recovery {
  readonly actor: Actor;
  readonly appId: string;
  readonly webhookId: string;
  readonly since: string;
  readonly kind: MadeKind;
  readonly about: ReturnType<typeof aboutWebhook>;
}

/** Undelivered messages that are not erased. */
interface Page {
  /** Given up, or dropped while the webhook was disabled. */
  readonly givenUp: readonly string[];
  /** Before a later attempt. */
  readonly retries: readonly Waiting[];
  /** Those that the end of the pause sends. */
  readonly paused: number;
}

/**
 * Sends again, the oldest first, what no attempt for a webhook delivered since a time: what was given up or dropped, and what
 * waits for a retry or the end of a pause, which ends. A message that is sent again is given up and waits no more, so that a
 * repeated or interrupted call sends none twice. A test key recovers sandbox messages only.
 * @returns the number of messages.
 * @throws AppError `request.invalid`; `webhook.not_found`, `webhook.disabled`, and the same of a destination.
 */
export async function recoverWebhook(
  deps: RecoverDeps,
  {
    actor,
    webhookId,
    since,
    isDryRun,
    kind = 'webhook',
  }: { actor: Actor; webhookId: string; since: string; isDryRun: boolean; kind?: MadeKind },
): Promise<number> {
  if (!isMoment(since))
    throw new AppError('request.invalid', {
      message: 'since must be a date-time such as 2026-01-31T12:00:00Z.',
    });
  const sinceMs = Math.min(Math.max(0, Date.parse(since)), LATEST_MS);
  const webhook = await readOwnWebhook(deps.db, { actor, webhookId, kind });
  if (webhook.enabled === 0 && !isDryRun) throw new AppError(CODES[kind].disabled);
  const receiverId = deps.dispatcher.receiverOf(webhook).id;
  const isPaused = (await findPauses(deps.db, deps, [receiverId])).has(receiverId);
  const author = { actor, kind, since: isoTime(sinceMs), about: aboutWebhook(webhook) };
  const recovery = { ...author, appId: webhook.app_id, webhookId: webhook.id };
  let entryId: string | null = null;
  let messages = 0;
  for await (const page of undelivered(deps.db, { ...recovery, sinceMs, isPaused })) {
    if (isDryRun) messages += page.givenUp.length + page.retries.length + page.paused;
    else ({ entryId, messages } = await sendAgain(deps, recovery, { page, entryId, messages }));
  }
  if (isPaused && !isDryRun) await deps.dispatcher.endPause(webhook);
  return messages;
}

/** What was given up comes in the order of the messages, what waits by when it is due. */
async function* undelivered(
  db: Db,
  {
    appId,
    webhookId,
    sinceMs,
    isPaused,
  }: { appId: string; webhookId: string; sinceMs: number; isPaused: boolean },
): AsyncGenerator<Page> {
  const firstId = leastIdAt(sinceMs);
  const of = { appId, webhookId, limit: MESSAGES_AT_ONCE };
  let afterFailure: string | null = firstId;
  let afterWaiting: Waiting | null = null;
  let isFirst = true;
  while (isFirst || afterFailure !== null || afterWaiting !== null) {
    const [failures, waiting]: [{ message_id: string }[], Waiting[]] = await Promise.all([
      afterFailure === null ? [] : listFailures(db, { ...of, after: afterFailure }),
      isFirst || afterWaiting !== null ? listWaiting(db, { ...of, after: afterWaiting }) : [],
    ]);
    const unsent = waiting.filter(
      (each) => each.message_id >= firstId && (isPaused || each.failed_attempts > 0),
    );
    const ids = [...failures, ...unsent].map((each) => each.message_id);
    const sendable = await findSendable(db, appId, ids);
    const isSendable = (each: { message_id: string }) => sendable.has(each.message_id);
    const { retries = [], paused = [] } = Object.groupBy(unsent.filter(isSendable), (each) =>
      each.failed_attempts > 0 ? 'retries' : 'paused',
    );
    const givenUp = failures.filter(isSendable).map((each) => each.message_id);
    yield { givenUp, retries, paused: paused.length };
    isFirst = false;
    afterFailure = failures.length < of.limit ? null : (failures.at(-1)?.message_id ?? null);
    afterWaiting = waiting.length < of.limit ? null : (waiting.at(-1) ?? null);
  }
}

/** Those that are not erased. */
async function findSendable(db: Db, appId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('webhook_messages')
    .select('id')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    .where('body', '<>', '')
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** How far a recovery is: one entry in the audit log, and the messages so far. */
interface Progress {
  readonly entryId: string | null;
  readonly messages: number;
}

async function sendAgain(
  deps: RecoverDeps,
  recovery: Recovery,
  { page, entryId, messages }: Progress & { page: Page },
): Promise<Progress> {
  const { actor, appId, webhookId, since } = recovery;
  const { due, ...progress } = await deps.db.transaction().execute(async (tx) => {
    const givenUp = await takeFailures(tx, { appId, webhookId, messageIds: page.givenUp });
    const retries = await takeWaiting(tx, { appId, ids: page.retries.map(({ id }) => id) });
    const due = [...givenUp, ...retries].map((messageId) => toDueSince(deps, recovery, messageId));
    await insertDue(tx, due);
    const sent = due.length + page.paused;
    const about = { ...recovery.about, since, messages: messages + sent };
    const change = webhookChange(actor, webhookId, { action: `${recovery.kind}.recovered`, about } as const);
    if (sent === 0) return { due, entryId, messages };
    if (entryId !== null) await continueChange(tx, entryId, change);
    const ofFirst = entryId ?? (await recordChange(tx, deps, change));
    return { due, entryId: ofFirst, messages: about.messages };
  });
  deps.dispatcher.wake(due.slice(0, 1));
  return progress;
}

/** Due since the time of each message, so that older ones go first, those of other transactions included. */
function toDueSince(
  deps: Pick<Foundation, 'clock' | 'ids'>,
  { appId, webhookId }: Pick<Recovery, 'appId' | 'webhookId'>,
  message_id: string,
): DueAttempt {
  const nowMs = deps.clock.nowMs();
  const due = toDue(deps, { app_id: appId, webhook_id: webhookId, message_id });
  return { ...due, next_attempt_at: isoTime(Math.min(uuidTimeMs(message_id) ?? nowMs, nowMs)) };
}
