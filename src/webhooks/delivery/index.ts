export { GIVEN_UP } from './attempt.ts';
export { type Courier, createCourier } from './courier.ts';
