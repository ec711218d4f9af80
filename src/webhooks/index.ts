export { countUnsigned } from './count-unsigned.ts';
export { createDispatcher, type Dispatcher } from './delivery/index.ts';
export { countWaiting, listAppsWaiting } from './delivery/waiting.ts';
export { deleteExpiredSecrets, dropOldDeliveries, minDeliveryDays } from './drop-old.ts';
export { eraseLateResponsesInFlight, eraseMessages } from './personal-data.ts';
export { createOutbox, insertOutbox, maxEventsAtOnce, type WebhookEvent } from './publish.ts';
export { createSubscriptions, type Subscription, type Subscriptions } from './subscriptions.ts';
