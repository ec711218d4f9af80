export { countPendingErasures } from './queries.ts';
export { readClock } from './retention-clock.ts';
