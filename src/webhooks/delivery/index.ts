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
