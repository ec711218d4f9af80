export { DELIVERY_FAILED } from './attempt.ts';
export { createDispatcher, type Dispatcher } from './dispatcher.ts';
export { type DueRow, dropPending, insertDue } from './queue.ts';
