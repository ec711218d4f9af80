import { type Actor, canSee } from '../auth/index.ts';
import { type Db, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { type Ids, isUuid } from '../lib/ids.ts';
import { type Dispatcher, insertDue, takeFailures, toDue } from './delivery/index.ts';
import { type AttemptRow, findAttempt, readWebhook } from './queries.ts';

/**
 * Sends the message of an attempt again, with the same bytes and `webhook-id`, to the webhook's current address, as a
 * new delivery. If the message was given up, the delivery takes its place; else it ends others of the message by success.
 * @throws AppError `delivery.not_found`, `delivery.erased`, `webhook.not_found`, `webhook.disabled`.
 */
export async function redeliver(
  { db, clock, ids, dispatcher }: { db: Db; clock: Clock; ids: Ids; dispatcher: Dispatcher },
  { actor, attemptId }: { actor: Actor; attemptId: string },
): Promise<AttemptRow> {
  const attempt = isUuid(attemptId) ? await findAttempt(db, actor.appId, attemptId.toLowerCase()) : undefined;
  if (attempt === undefined || !canSee(actor, attempt)) throw new AppError('delivery.not_found');
  if (attempt.request_body === '') throw new AppError('delivery.erased');
  const webhook = await readWebhook(db, { actor, webhookId: attempt.webhook_id });
  if (webhook.enabled === 0) throw new AppError('webhook.disabled');

  const delivery = await db.transaction().execute(async (tx) => {
    const of = { appId: webhook.app_id, webhookId: webhook.id, messageIds: [attempt.message_id] };
    const wasGivenUp = (await takeFailures(tx, of)).length > 0;
    const due = toDue({ clock, ids }, { ...attempt, is_repeat: toFlag(!wasGivenUp) });
    await insertDue(tx, [due]);
    return due;
  });
  dispatcher.wake([delivery]);
  return attempt;
}
