export { DELIVERY_FAILED } from './attempt.ts';
export { createDispatcher, type Dispatcher } from './dispatcher.ts';
export {
  type DueRow,
  dropOldPending,
  dropPending,
  insertDue,
  listMessagesInFlight,
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
export { countWaitingByWebhook, MAX_WAITING } from './waiting.ts';
export { listWaiting, takeWaiting } from './waiting-queries.ts';
