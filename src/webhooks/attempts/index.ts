export { DELIVERY_FAILED } from './attempt.ts';
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
export { deleteIdleReceivers, findPauses, receiverOf } from './receiver.ts';
export {
  deleteOldFailures,
  deleteOldResults,
  findResults,
  listFailures,
  takeFailures,
} from './results.ts';
export { attemptCounter } from './send.ts';
export {
  countWaiting,
  countWaitingByWebhook,
  listAppsWaiting,
  listWaiting,
  MAX_WAITING,
  takeWaiting,
  type Waiting,
} from './waiting.ts';
