import { insertMany } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import type { WebhookRow } from '../webhook.ts';
import { type Attempt, sendingOf } from './attempt.ts';
import { type MessageRow, toDue, toLease } from './queue.ts';
import type { ReceiverKinds } from './receiver-kind.ts';

/** Stores a message and an attempt of it that begins now, whether or not its webhook is enabled. */
export async function claimOnce(
  { db, clock, ids, kinds }: Pick<Foundation, 'db' | 'clock' | 'ids'> & { readonly kinds: ReceiverKinds },
  webhook: WebhookRow,
  message: MessageRow,
): Promise<Attempt> {
  const of = { app_id: webhook.app_id, webhook_id: webhook.id, message_id: message.id };
  const row = { ...toDue({ clock, ids }, of), ...toLease({ clock }, webhook) };
  const sending = sendingOf(kinds, webhook);
  await db.transaction().execute(async (tx) => {
    await insertMany(tx, 'webhook_messages', [message]);
    await insertMany(tx, 'webhook_queue', [row]);
  });
  return { id: ids.next(), row, message, ...sending };
}
