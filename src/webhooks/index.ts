export { type Courier, createCourier } from './delivery/index.ts';
export { EVENT_TYPES, type EventType } from './event-types.ts';
export { deliveriesOf, storeDeliveries, type WebhookEvent } from './publish.ts';
export type { PublishingCtx } from './publishing-ctx.ts';
export { insertDeliveries } from './queries.ts';
export { createSubscriptions, type Subscription, type Subscriptions } from './subscriptions.ts';
