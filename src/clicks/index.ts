export type { ClickRow, NewClick } from './click.ts';
export { type ClickLog, openClickLog } from './click-log.ts';
export { type Claimant, claimClick, findClick, listClicksByAddress } from './queries.ts';
export { CLAIMABLE_VISITORS, type VisitorKind } from './visitor.ts';
