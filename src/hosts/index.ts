export { placeOf } from './host.ts';
export { checksOf, listHostRows } from './queries.ts';
export { createHostWatch } from './watch.ts';
