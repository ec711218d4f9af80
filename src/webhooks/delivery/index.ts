export { DELIVERY_FAILED } from './attempt.ts';
export { createDispatcher, type Dispatcher } from './dispatcher.ts';
export {
  countWaitingByWebhook,
  type DueRow,
  dropOldPending,
  dropPending,
  insertDue,
  listMessagesInFlight,
  MAX_WAITING,
  toDue,
} from './queue.ts';
export { receiverOf } from './receiver.ts';
export { deleteIdleReceivers, findPauses } from './receiver-queries.ts';
export {
  deleteOldFailures,
  deleteOldResults,
  insertFailures,
  listFailures,
  listResults,
  takeFailures,
} from './results.ts';
export { listWaiting, takeWaiting } from './waiting-queries.ts';
