export { createDispatcher, type Dispatcher } from './dispatcher.ts';
export { listFailingWebhooks } from './failing.ts';
export {
  type DueAttempt,
  dropOldPending,
  dropPending,
  insertDue,
  listMessagesInFlight,
  toDue,
} from './queue.ts';
export { deleteIdleReceivers, findPauses, type Receiver } from './receiver.ts';
export type { Kind, PreparedCall, Reading, ReceiverKind, ReceiverKinds, Target } from './receiver-kind.ts';
export {
  deleteOldFailures,
  deleteOldResults,
  findResults,
  listFailures,
  takeFailures,
} from './results.ts';
export { type AttemptResult, attemptCounter } from './send.ts';
export {
  countWaiting,
  countWaitingByWebhook,
  listAppsWaiting,
  listWaiting,
  MAX_WAITING,
  takeWaiting,
  type Waiting,
} from './waiting.ts';
export { createWebhookKind, DELIVERY_FAILED, delayOf } from './webhook-kind.ts';
