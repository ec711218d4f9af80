export { GIVEN_UP } from './attempt.ts';
export { type Courier, createCourier } from './courier.ts';
export { type DueRow, dropWaiting, insertDue } from './queue.ts';
