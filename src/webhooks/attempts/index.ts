export { createDispatcher, type Dispatcher } from './dispatcher.ts';
export { listFailingWebhooks } from './failing.ts';
export {
  type DueAttempt,
  dropOldPending,
  dropPending,
  insertDue,
  listInFlight,
  type MessageRow,
  toDue,
} from './queue.ts';
export { deleteIdleReceivers, findPauses } from './receiver.ts';
export type {
  Ended,
  Kind,
  PreparedCall,
  Reading,
  ReceiverKind,
  Target,
} from './receiver-kind.ts';
export {
  deleteOldFailures,
  deleteOldResults,
  findResults,
  listFailures,
  takeFailures,
} from './results.ts';
export { attemptCounter } from './send.ts';
export {
  countInFlight,
  countWaiting,
  countWaitingByKind,
  countWaitingByWebhook,
  listAppsWaiting,
  listWaiting,
  MAX_WAITING,
  takeWaiting,
  type Waiting,
} from './waiting.ts';
export { createWebhookKind, DELIVERY_FAILED, delayOf } from './webhook-kind.ts';
