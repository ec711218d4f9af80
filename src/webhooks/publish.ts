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
 * transaction of what happened (`insertDeliveries`); after it, `courier.wake` has them sent at once.
 * @param subscriptions the app's, read before the transaction.
 */
export function deliveriesOf(
  ctx: Ctx,
  appId: string,
  subscriptions: readonly Subscription[],
  events: readonly WebhookEvent[],
): DueRow[] {
  return events.flatMap((event) =>
    subscriptions
      .filter((subscription) => wants(subscription, event.type))
      .map((subscription) => toDelivery(ctx, appId, subscription, event)),
  );
}

/** The body is made once, so that every attempt sends the same bytes. */
export function toDelivery(ctx: Ctx, appId: string, to: Subscription, event: WebhookEvent): DueRow {
  const id = ctx.ids.next();
  return {
    app_id: appId,
    id,
    webhook_id: to.webhookId,
    message_id: id,
    event_type: event.type,
    sandbox: toFlag(event.isSandbox),
    request_body: bodyOf(to, event),
    failed_attempts: 0,
    due_at: isoTime(ctx.clock.nowMs()),
    lease_id: null,
    leased_until: null,
  };
}

function bodyOf({ template, templateConfig }: Subscription, event: WebhookEvent): string {
  if (template !== null) return JSON.stringify(renderMessage(template, event, templateConfig));
  return JSON.stringify({ event: event.type, timestamp: event.timestamp, data: event.data });
}
