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
export { countWaitingByWebhook, listWaiting, MAX_WAITING, takeWaiting } from './waiting.ts';
