import { isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { toFlag } from '../platform/db/index.ts';
import type { EventType } from './event-types.ts';
import type { DueRow } from './queries.ts';
import type { Subscription } from './subscriptions.ts';
import { renderMessage } from './templates/index.ts';
import { wants } from './webhook.ts';

/** Something that webhooks tell of. */
export interface WebhookEvent {
  readonly type: EventType;
  /** When it happened, ISO 8601. */
  readonly timestamp: string;
  readonly isSandbox: boolean;
  /** The fields that the contract names for this type, in its order. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * What is to be sent because of events: one delivery for each webhook that asks for one. They are inserted in the
 * transaction of what happened (`insertDeliveries`, or `storeDeliveries` for many); after it, `courier.wake` has them sent at once.
 * @param subscriptions the app's, read before the transaction.
 */
export function deliveriesOf(
  ctx: Ctx,
  appId: string,
  subscriptions: readonly Subscription[],
  events: readonly WebhookEvent[],
): DueRow[] {
  return events.flatMap((event) => {
    const bodies = new Map<string, string>();
    return subscriptions
      .filter((subscription) => wants(subscription, event.type))
      .map((to) => {
        // Most webhooks are told the same: they share the text.
        const form = to.template === null ? '' : JSON.stringify([to.template, to.templateConfig]);
        const body = bodies.get(form) ?? bodyOf(to, event);
        bodies.set(form, body);
        return toDelivery(ctx, appId, to, event, body);
      });
  });
}

/** @param body the same bytes for every attempt. */
export function toDelivery(
  ctx: Ctx,
  appId: string,
  to: Subscription,
  event: WebhookEvent,
  body = bodyOf(to, event),
): DueRow {
  const id = ctx.ids.next();
  return {
    ...dueNow(ctx, id),
    app_id: appId,
    webhook_id: to.webhookId,
    message_id: id,
    event_type: event.type,
    sandbox: toFlag(event.isSandbox),
    request_body: body,
  };
}

/** A delivery that nobody tried yet. */
export function dueNow({ clock }: Ctx, id: string) {
  return { id, failed_attempts: 0, due_at: isoTime(clock.nowMs()), lease_id: null, leased_until: null };
}

const INSERTED_AT_ONCE = { rows: 1_000, characters: 2_000_000 };

/** Inserts many deliveries in the caller's transaction, some at a time: their texts are copied on the way. */
export async function storeDeliveries(tx: Ctx, deliveries: readonly DueRow[]): Promise<void> {
  let some: DueRow[] = [];
  let characters = 0;
  for (const delivery of deliveries) {
    some.push(delivery);
    characters += delivery.request_body.length;
    if (some.length < INSERTED_AT_ONCE.rows && characters < INSERTED_AT_ONCE.characters) continue;
    await tx.store.insertMany(tx.db, 'webhook_deliveries_due', some);
    some = [];
    characters = 0;
  }
  await tx.store.insertMany(tx.db, 'webhook_deliveries_due', some);
}

function bodyOf({ template, templateConfig }: Subscription, event: WebhookEvent): string {
  if (template !== null) return JSON.stringify(renderMessage(template, event, templateConfig));
  return JSON.stringify({ event: event.type, timestamp: event.timestamp, data: event.data });
}
