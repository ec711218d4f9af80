export { KIND_OF_TYPE, type RecordType } from './kinds.ts';
export { findItems } from './list-records.ts';
export { listKeys, type RecordKey } from './queries.ts';
