export {
  attemptCounter,
  countWaiting,
  countWaitingByKind,
  createDispatcher,
  createWebhookKind,
  type Dispatcher,
  type DueAttempt,
  type Ended,
  listAppsWaiting,
  listFailingWebhooks,
  type MessageRow,
  type PreparedCall,
  type Reading,
  type ReceiverKind,
  type Target,
  toDue,
} from './attempts/index.ts';
export { countUnsigned } from './count-unsigned.ts';
export { createDestinationKind } from './destinations/destination-kind.ts';
export { IDENTIFIERS, type Identifier } from './destinations/destination-type.ts';
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
export { APPLE_ADS_TYPE, maskAddress, WEBHOOK_SECRETS } from './webhook.ts';
