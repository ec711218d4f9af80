import {
  type Db,
  type DestinationFeedTable,
  insertRows,
  toFlag,
  type WebhookMessagesTable,
  type Write,
} from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { type DueAttempt, toDue } from './attempts/index.ts';
import { toFeed } from './destinations/feed.ts';
import type { EnabledWebhook, Rendering } from './enabled-webhooks.ts';
import { renderMessage } from './templates/index.ts';
import type { EventType } from './webhook.ts';

/** How long rows take to store, by the time of an event; a chat message includes its rendering. Measured. */
const COST = { event: 1, attempt: 0.5, message: 0.5, chatMessage: 5, forwarded: 0.1 };
/** Bounds a transaction to some 0.1 s, for which all apps wait on SQLite, and its rendering: 500 events for three webhooks. */
const MAX_COST = 1_500;

export interface WebhookEvent {
  readonly type: EventType;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly isSandbox: boolean;
  /** The install, open, event or postback; the webhook for `test.webhook`. */
  readonly recordId: string;
  /** The fields that the contract names for this type, in its order. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** The rows that events cause. */
interface Outbox {
  readonly messages: WebhookMessagesTable[];
  /** The first for each webhook that receives a message. */
  readonly attempts: DueAttempt[];
  /** One at most, whatever the number of destinations. */
  readonly feed: DestinationFeedTable[];
}

/**
 * Renders events for the webhooks that receive them. Insert the outbox in the transaction of the events (`insertOutbox`), then call
 * `dispatcher.wake` with its attempts.
 * @param webhooks the app's enabled ones, read before the transaction.
 */
export function createOutbox(
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  appId: string,
  webhooks: readonly EnabledWebhook[],
  events: readonly WebhookEvent[],
): Outbox {
  const destinations = webhooks.filter(({ kind }) => kind === 'destination');
  const feed = toFeed({ ids }, appId, { destinations, events });
  const outbox: Outbox = { messages: [], attempts: [], feed };
  for (const event of events) {
    const receiving = webhooks.filter((each) => receives(each, event));
    // Webhooks with the same rendering share a message.
    for (const group of Map.groupBy(receiving, renderingKey).values()) {
      const [first] = group;
      if (first === undefined) continue;
      const message = toMessage({ ids }, appId, first, event);
      outbox.messages.push(message);
      for (const { webhookId } of group)
        outbox.attempts.push(
          toDue({ clock, ids }, { app_id: appId, webhook_id: webhookId, message_id: message.id }),
        );
    }
  }
  return outbox;
}

/** Events of a type that a transaction stores and publishes at most; at least one. */
export function maxEventsAtOnce(webhooks: readonly EnabledWebhook[], type: EventType): number {
  const receiving = webhooks.filter(({ kind, events }) => kind === 'webhook' && isAbout(events, type));
  const forwarded = webhooks.some(({ kind }) => kind === 'destination') ? COST.forwarded : 0;
  const messages = [...Map.groupBy(receiving, renderingKey).keys()].map((key) =>
    key === '' ? COST.message : COST.chatMessage,
  );
  const cost = messages.reduce(
    (sum, of) => sum + of,
    COST.event + forwarded + COST.attempt * receiving.length,
  );
  return Math.max(1, Math.floor(MAX_COST / cost));
}

function receives(
  { kind, events, isSandboxOnly }: EnabledWebhook,
  { type, isSandbox }: WebhookEvent,
): boolean {
  return kind === 'webhook' && isAbout(events, type) && (isSandbox || !isSandboxOnly);
}

/** @param events of a webhook; empty means all. */
function isAbout(events: readonly string[], type: EventType): boolean {
  return events.length === 0 || events.includes(type);
}

function renderingKey({ template, templateConfig }: Rendering): string {
  return template === null ? '' : JSON.stringify([template, templateConfig]);
}

/** Renders the bytes that every attempt sends. */
export function toMessage(
  { ids }: Pick<Foundation, 'ids'>,
  appId: string,
  { template, templateConfig }: Rendering,
  event: WebhookEvent,
): WebhookMessagesTable {
  const content =
    template === null
      ? { event: event.type, timestamp: event.timestamp, data: event.data }
      : renderMessage(template, event, templateConfig);
  return {
    app_id: appId,
    id: ids.next(),
    event_type: event.type,
    sandbox: toFlag(event.isSandbox),
    record_id: event.recordId,
    body: JSON.stringify(content),
  };
}

/** Rows of one statement; more are passed as JSON. */
const MAX_VALUES = 20;

/** For `store.commit`. */
export async function insertOutbox(db: Db, { messages, attempts, feed }: Outbox): Promise<Write[]> {
  const forwarded = await insertRows(db, 'destination_feed', feed);
  if (attempts.length === 0) return forwarded;
  if (attempts.length > MAX_VALUES)
    return [
      ...forwarded,
      ...(await insertRows(db, 'webhook_messages', messages)),
      ...(await insertRows(db, 'webhook_queue', attempts)),
    ];
  return [
    ...forwarded,
    db.insertInto('webhook_messages').values(messages).returning('id'),
    db.insertInto('webhook_queue').values(attempts).returning('id'),
  ];
}
