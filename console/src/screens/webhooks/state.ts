/** What a message and its webhook are up to, in words: the list and the panel say the same. */
import type { Webhook, WebhookDelivery } from '@generated/types.gen.ts';
import { formatMoment } from '../../formats.ts';

/** The attempts of one message to one webhook, newest first. */
export type Message = readonly [newest: WebhookDelivery, ...older: WebhookDelivery[]];

const ATTEMPTS = { standard: 3, extended: 12 } as const;

export function messagesOf(deliveries: readonly WebhookDelivery[]): Message[] {
  const groups = Map.groupBy(deliveries, ({ webhook_id, message_id }) => `${webhook_id} ${message_id}`);
  return [...groups.values()].flatMap(([newest, ...older]) =>
    newest === undefined ? [] : [[newest, ...older]],
  );
}

interface MessageState {
  readonly text: string;
  readonly isBad: boolean;
}

/** @param webhook undefined if it is deleted. */
export function stateOf(message: Message, webhook: Webhook | undefined): MessageState {
  const [newest, ...older] = message;
  if (newest.success)
    return { text: older.length === 0 ? 'Arrived' : `Arrived at attempt ${message.length}`, isBad: false };
  if (older.some(({ success }) => success)) return { text: 'Arrived before', isBad: false };
  if (newest.event_type === 'test.webhook') return { text: 'Test failed', isBad: true };
  const { attempt_number: attempt, given_up, next_attempt_at: next } = newest;
  const most = ATTEMPTS[webhook?.retries ?? 'standard'];
  // Nothing but a webhook that is switched off ends the attempts early.
  if (given_up)
    return attempt < most
      ? { text: `Dropped after attempt ${attempt}: the webhook was off`, isBad: true }
      : { text: `Given up after attempt ${attempt}`, isBad: true };
  // Filters and other pages may hide the attempts that followed.
  if (next === null)
    return { text: attempt >= most ? 'Sent again since' : `Attempt ${attempt} failed`, isBad: false };
  if (webhook === undefined) return { text: 'Dropped: the webhook is deleted', isBad: true };
  if (!webhook.enabled) return { text: 'Dropped: the webhook is off', isBad: true };
  if (newest.error_message?.includes('asked to wait'))
    return { text: 'Waits, as the receiver asked', isBad: false };
  const when = Date.parse(next) > Date.now() ? formatMoment(next, { seconds: false }) : 'now';
  return { text: `Attempt ${attempt} of ${most} failed, next one ${when}`, isBad: true };
}

export function nameOf(url: string): string {
  return url.replace(/^https?:\/\//, '');
}

/** The id that sorts next, so that `before` it a page begins with the record of an id. */
export function idAfter(id: string): string {
  const next = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return next.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
