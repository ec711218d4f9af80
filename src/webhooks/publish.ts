import type { Compilable } from 'kysely';
import { isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { type Db, type MessagesTable, toFlag } from '../platform/db/index.ts';
import { parts } from '../platform/parts.ts';
import type { DueRow } from './delivery/index.ts';
import type { EventType } from './event-types.ts';
import type { Subscription } from './subscriptions.ts';
import { renderMessage } from './templates/index.ts';
import { wants } from './webhook.ts';

/** Something that webhooks tell of. */
export interface WebhookEvent {
  readonly type: EventType;
  /** When it happened, ISO 8601. */
  readonly timestamp: string;
  readonly isSandbox: boolean;
  /** What it tells of: an install, an open, an event, a postback; of a test, the webhook. */
  readonly recordId: string;
  /** The fields that the contract names for this type, in its order. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** What is to be sent because of events. */
interface Outbox {
  readonly messages: readonly MessagesTable[];
  /** One for each webhook that asks for a message. */
  readonly deliveries: readonly DueRow[];
}

/**
 * What webhooks are told of events. It is stored in the transaction of what happened (`insertOutbox`); after it,
 * `courier.wake` has the deliveries sent at once.
 * @param subscriptions the app's, read before the transaction.
 */
export function outboxOf(
  ctx: Ctx,
  appId: string,
  subscriptions: readonly Subscription[],
  events: readonly WebhookEvent[],
): Outbox {
  const messages: MessagesTable[] = [];
  const deliveries: DueRow[] = [];
  for (const event of events) {
    const wanted = subscriptions.filter((subscription) => wants(subscription, event.type));
    // Most webhooks are told the same: they share the message.
    for (const same of Map.groupBy(wanted, formOf).values()) {
      const [first] = same;
      if (first === undefined) continue;
      const message = toMessage(ctx, appId, first, event);
      messages.push(message);
      for (const { webhookId } of same)
        deliveries.push(toDelivery(ctx, { app_id: appId, webhook_id: webhookId, message_id: message.id }));
    }
  }
  return { messages, deliveries };
}

function formOf({ template, templateConfig }: Subscription): string {
  return template === null ? '' : JSON.stringify([template, templateConfig]);
}

/** The same bytes for every attempt. */
export function toMessage(ctx: Ctx, appId: string, to: Subscription, event: WebhookEvent): MessagesTable {
  return {
    app_id: appId,
    id: ctx.ids.next(),
    event_type: event.type,
    sandbox: toFlag(event.isSandbox),
    record_id: event.recordId,
    body: bodyOf(to, event),
  };
}

/** A delivery that nobody tried yet. */
export function toDelivery(
  { ids, clock }: Ctx,
  { app_id, webhook_id, message_id }: Pick<DueRow, 'app_id' | 'webhook_id' | 'message_id'>,
): DueRow {
  return {
    app_id,
    id: ids.next(),
    webhook_id,
    message_id,
    failed_attempts: 0,
    due_at: isoTime(clock.nowMs()),
  };
}

/** For `store.commit`. */
export function insertOutbox(db: Db, { messages, deliveries }: Outbox): Compilable[] {
  if (deliveries.length === 0) return [];
  return [
    db.insertInto('webhook_messages').values(messages).returning('id'),
    db.insertInto('webhook_deliveries_due').values(deliveries).returning('id'),
  ];
}

/** Messages made at one go: chat messages take some 0.1 ms each, and others have their turn on the event loop in between. */
const MADE_AT_ONCE = 250;

/**
 * Makes what webhooks are told of many events, and stores it in the caller's transaction.
 * @param subscriptions the app's, read before the transaction.
 * @returns the deliveries, for `courier.wake` after the transaction.
 */
export async function publishMany(
  tx: Ctx,
  appId: string,
  subscriptions: readonly Subscription[],
  events: readonly WebhookEvent[],
): Promise<readonly DueRow[]> {
  const forms = new Set(subscriptions.map(formOf)).size;
  if (forms === 0) return [];
  const deliveries: DueRow[] = [];
  for (const some of parts(events, Math.max(1, Math.floor(MADE_AT_ONCE / forms)))) {
    const outbox = outboxOf(tx, appId, subscriptions, some);
    await storeOutbox(tx, outbox);
    deliveries.push(...outbox.deliveries);
  }
  return deliveries;
}

const INSERTED_AT_ONCE = { rows: 1_000, characters: 2_000_000 };

/** Some at a time: it is copied on the way. */
async function storeOutbox(tx: Ctx, { messages, deliveries }: Outbox): Promise<void> {
  for (const some of inParts(messages, ({ body }) => body.length))
    await tx.store.insertMany(tx.db, 'webhook_messages', some);
  for (const some of inParts(deliveries, () => 0))
    await tx.store.insertMany(tx.db, 'webhook_deliveries_due', some);
}

function* inParts<T>(rows: readonly T[], charactersOf: (row: T) => number): Generator<T[]> {
  let some: T[] = [];
  let characters = 0;
  for (const row of rows) {
    some.push(row);
    characters += charactersOf(row);
    if (some.length < INSERTED_AT_ONCE.rows && characters < INSERTED_AT_ONCE.characters) continue;
    yield some;
    some = [];
    characters = 0;
  }
  yield some;
}

function bodyOf({ template, templateConfig }: Subscription, event: WebhookEvent): string {
  if (template !== null) return JSON.stringify(renderMessage(template, event, templateConfig));
  return JSON.stringify({ event: event.type, timestamp: event.timestamp, data: event.data });
}
