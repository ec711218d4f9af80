export { createDispatcher, type Dispatcher } from './attempts/index.ts';
export { countWaiting, listAppsWaiting } from './attempts/waiting.ts';
export { countUnsigned } from './count-unsigned.ts';
export { deleteExpiredSecrets, dropOldDeliveries, minDeliveryDays } from './drop-old.ts';
export { eraseLateResponsesInFlight, eraseMessages } from './personal-data.ts';
export { createOutbox, insertOutbox, maxEventsAtOnce, publishMany, type WebhookEvent } from './publish.ts';
export { createSubscriptions, type Subscription, type Subscriptions } from './subscriptions.ts';
