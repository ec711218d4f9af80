export { stateOf } from './advance.ts';
export { checksOf, listHostRows } from './queries.ts';
export { createHostWatch, type HostWatch } from './watch.ts';
