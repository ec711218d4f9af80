export { createDispatcher } from './delivery/index.ts';
export { deleteExpiredSecrets, dropOldDeliveries } from './drop-old.ts';
export { eraseLateResponsesInFlight, eraseMessages } from './personal-data.ts';
export { createOutbox, insertOutbox, type PublishingCtx, publishMany, type WebhookEvent } from './publish.ts';
export { createSubscriptions, type Subscription } from './subscriptions.ts';
