import { recordChange } from '../audit/index.ts';
import { type Actor, canSee } from '../auth/index.ts';
import { toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isUuid } from '../lib/ids.ts';
import { type Dispatcher, insertDue, takeFailures, toDue } from './attempts/index.ts';
import { type AttemptRow, findAttempt, readWebhook } from './queries.ts';
import { aboutWebhook, CODES, type MadeKind, OTHER_TYPES, webhookChange } from './webhook.ts';

/**
 * Sends the message of an attempt again, with the same bytes and `webhook-id`, to the webhook's current address, as a
 * first attempt. If the message was given up, the attempt takes its place; else its success ends others of the message.
 * @throws AppError `delivery.not_found`, `delivery.erased`, `webhook.not_found`, `webhook.disabled`.
 */
export async function redeliver(
  { db, clock, ids, dispatcher }: Pick<Foundation, 'db' | 'clock' | 'ids'> & { dispatcher: Dispatcher },
  { actor, attemptId, kind = 'webhook' }: { actor: Actor; attemptId: string; kind?: MadeKind },
): Promise<AttemptRow> {
  const attempt = isUuid(attemptId) ? await findAttempt(db, actor.appId, attemptId.toLowerCase()) : undefined;
  if (attempt === undefined || !canSee(actor, attempt) || kindOf(attempt) !== kind)
    throw new AppError('delivery.not_found');
  if (attempt.request_body === '') throw new AppError('delivery.erased');
  const webhook = await readWebhook(db, { actor, webhookId: attempt.webhook_id, kind });
  if (webhook.enabled === 0) throw new AppError(CODES[kind].disabled);

  const due = await db.transaction().execute(async (tx) => {
    const of = { appId: webhook.app_id, webhookId: webhook.id, messageIds: [attempt.message_id] };
    const wasGivenUp = (await takeFailures(tx, of)).length > 0;
    const again = toDue({ clock, ids }, { ...attempt, is_repeat: toFlag(!wasGivenUp) });
    await insertDue(tx, [again]);
    const sent = { messageId: attempt.message_id, attemptId: attempt.id, eventType: attempt.event_type };
    const about = { ...aboutWebhook(webhook), ...sent };
    const change = webhookChange(actor, webhook.id, { action: `${kind}.redelivered`, about });
    await recordChange(tx, { clock, ids }, change);
    return again;
  });
  dispatcher.wake([due]);
  return attempt;
}

function kindOf({ event_type: type }: AttemptRow): MadeKind | null {
  if (!OTHER_TYPES.includes(type)) return 'webhook';
  return type === 'destination.batch' ? 'destination' : null;
}
