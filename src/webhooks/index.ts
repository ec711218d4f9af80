export {
  attemptCounter,
  countWaiting,
  createDispatcher,
  createWebhookKind,
  type Dispatcher,
  listAppsWaiting,
  listFailingWebhooks,
} from './attempts/index.ts';
export { countUnsigned } from './count-unsigned.ts';
export { createDestinationKind } from './destinations/destination-kind.ts';
export { startForming } from './destinations/form-batches.ts';
export { deleteExpiredSecrets, dropOldMessages, minMessageDays } from './drop-old.ts';
export { createEnabledWebhooks, type EnabledWebhook, type EnabledWebhooks } from './enabled-webhooks.ts';
export { findDeliveries } from './find-deliveries.ts';
export {
  countMessages,
  eraseLateResponsesInFlight,
  eraseMessages,
  forgetInMessages,
} from './personal-data.ts';
export { createOutbox, insertOutbox, maxEventsAtOnce, type WebhookEvent } from './publish.ts';
export { maskAddress } from './webhook.ts';
