import { createArrivals } from './arrivals.ts';
import { createReceiver, type RevenueCatDeps } from './receive.ts';

export { dropOldWaiting } from './queries.ts';
export {
  countWaitingOfPerson,
  eraseWaiting,
  WAITING_CONTENTS,
  WAITING_KEPT_DAYS,
  waitingOfPerson,
} from './waiting.ts';

/** Purchases that RevenueCat reports. */
export function createRevenueCat(deps: RevenueCatDeps) {
  return { receive: createReceiver(deps), ...createArrivals(deps) };
}
export type RevenueCat = ReturnType<typeof createRevenueCat>;
