export { type Courier, createCourier } from './courier.ts';
