import { createHash } from 'node:crypto';
import { SECOND_MS } from '../../lib/clock.ts';
import type { TemplateId } from '../templates/index.ts';
import { templateOf, type WebhookRow } from '../webhook.ts';

/** What an address leads to. Several webhooks may have one receiver, which is paced and paused for all of them. */
export interface Receiver {
  /** A hash, since the address of a chat is a credential. */
  readonly id: string;
  /** The least time between two attempts; null if only the receiver's own `Retry-After` holds them back. */
  readonly intervalMs: number | null;
}

/** What the platforms take: one message a second, 30 a minute, four a second. */
const INTERVALS_MS: Readonly<Record<TemplateId, number>> = {
  slack: SECOND_MS,
  discord: 2 * SECOND_MS,
  teams: SECOND_MS / 4,
};

/**
 * A chat is one receiver for all apps, since its platform counts by address. Others are one for each app, so that no app
 * can have a receiver pause for another.
 */
export function receiverOf({
  app_id: appId,
  url,
  template,
}: Pick<WebhookRow, 'app_id' | 'url' | 'template'>): Receiver {
  const { origin, pathname, search } = new URL(url);
  if (template === null) return { id: hash(`${appId} ${origin}${pathname}${search}`), intervalMs: null };
  const platform = templateOf(template);
  // Discord's query has options of the message, such as the thread.
  const address = platform === 'discord' ? origin + pathname : origin + pathname + search;
  return { id: hash(address), intervalMs: INTERVALS_MS[platform] };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
