export { CLICKS, EVENTS, INSTALLS, KIND_OF_TYPE, OPENS, type RecordType } from './kinds.ts';
export { findItems, findItemsInRange, type ListDeps, listPage } from './list-records.ts';
export { listKeys, type RecordKey } from './queries.ts';
export { InstallItem } from './schemas.ts';
