import { recordChange } from '../audit/index.ts';
import type { Actor } from '../auth/index.ts';
import { type Db, isAmong } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isMoment, isoTime, LATEST_MS } from '../lib/clock.ts';
import { leastIdAt } from '../lib/ids.ts';
import {
  type Dispatcher,
  findPauses,
  insertDue,
  listFailures,
  listWaiting,
  receiverOf,
  takeFailures,
  takeWaiting,
  toDue,
} from './attempts/index.ts';
import { readOwnWebhook } from './queries.ts';
import { aboutWebhook, webhookChange } from './webhook.ts';

/** Of one transaction, so that it is short. */
const MESSAGES_AT_ONCE = 1_000;

type RecoverDeps = Pick<Foundation, 'db' | 'clock' | 'ids'> & { readonly dispatcher: Dispatcher };

/**
 * Sends again, the oldest first, what no attempt for a webhook delivered since a time: what was given up, and what waits
 * for a retry or the end of a pause, which ends. A message that is sent again is given up and waits no more, so that a
 * repeated or interrupted call sends none twice. A test key recovers sandbox messages only.
 * @returns the number of messages.
 * @throws AppError `request.invalid`, `webhook.not_found`, `webhook.disabled`.
 */
export async function recoverWebhook(
  deps: RecoverDeps,
  {
    actor,
    webhookId,
    since,
    isDryRun,
  }: { actor: Actor; webhookId: string; since: string; isDryRun: boolean },
): Promise<number> {
  if (!isMoment(since))
    throw new AppError('request.invalid', {
      message: 'since must be a date-time such as 2026-01-31T12:00:00Z.',
    });
  const sinceMs = Math.min(Math.max(0, Date.parse(since)), LATEST_MS);
  const webhook = await readOwnWebhook(deps.db, { actor, webhookId });
  if (webhook.enabled === 0 && !isDryRun) throw new AppError('webhook.disabled');
  const receiverId = receiverOf(webhook).id;
  const isPaused = (await findPauses(deps.db, deps, [receiverId])).has(receiverId);
  const of = { appId: webhook.app_id, webhookId: webhook.id, isPaused };
  const author = { actor, since: isoTime(sinceMs), about: aboutWebhook(webhook) };
  let after = leastIdAt(sinceMs);
  let messages = 0;
  for (;;) {
    const ids = await listUndelivered(deps.db, { ...of, after });
    const last = ids.at(-1);
    if (last === undefined) break;
    after = last;
    const sendable = await findSendable(deps.db, of.appId, ids);
    messages += isDryRun
      ? sendable.size
      : await sendAgain(deps, { ...of, ...author, sendable: [...sendable], delayMs: messages });
  }
  if (isPaused && !isDryRun) await deps.dispatcher.endPause(webhook);
  return messages;
}

/** Messages later than one, by id. */
async function listUndelivered(
  db: Db,
  of: { appId: string; webhookId: string; isPaused: boolean; after: string },
): Promise<string[]> {
  const page = { ...of, limit: MESSAGES_AT_ONCE };
  const [givenUp, waiting] = await Promise.all([listFailures(db, page), listWaiting(db, page)]);
  const ids = new Set([...givenUp.map(({ message_id: id }) => id), ...waiting]);
  return [...ids].sort().slice(0, MESSAGES_AT_ONCE);
}

/** Those that are not erased. */
async function findSendable(db: Db, appId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('webhook_messages')
    .select('id')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    .where('body', '<>', '')
    .execute();
  return new Set(rows.map(({ id }) => id));
}

async function sendAgain(
  deps: RecoverDeps,
  of: {
    appId: string;
    webhookId: string;
    actor: Actor;
    since: string;
    about: Readonly<Record<string, string>>;
    isPaused: boolean;
    sendable: readonly string[];
    /** One message is due a millisecond after the other, so that they keep their order. */
    delayMs: number;
  },
): Promise<number> {
  const { appId, webhookId, sendable } = of;
  const attempts = await deps.db.transaction().execute(async (tx) => {
    const which = { ...of, messageIds: sendable };
    const taken = new Set([...(await takeFailures(tx, which)), ...(await takeWaiting(tx, which))]);
    const due = [...taken]
      .sort()
      .map((message_id, index) =>
        toDue(deps, { app_id: appId, webhook_id: webhookId, message_id }, of.delayMs + index),
      );
    await insertDue(tx, due);
    const about = { ...of.about, since: of.since, messages: due.length };
    const change = webhookChange(of.actor, webhookId, { action: 'webhook.recovered', about });
    if (due.length > 0) await recordChange(tx, deps, change);
    return due;
  });
  deps.dispatcher.wake(attempts.slice(0, 1));
  return attempts.length;
}
