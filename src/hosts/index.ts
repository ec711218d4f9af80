export { advance, type KnownCheck } from './advance.ts';
export { type Place, placeOf } from './host.ts';
export { createLooker, type Looker } from './look-at-host.ts';
export { checksOf, findHost, listHostRows, wasReached } from './queries.ts';
export { createHostWatch } from './watch.ts';
