export { type Change, type ChangedBy, changeRecord, namedFields, recordChange } from './change.ts';
export { dropOldChanges } from './drop-old.ts';
export { type AuditEntry, deleteOldAuditEntries, insertAuditEntries } from './queries.ts';
