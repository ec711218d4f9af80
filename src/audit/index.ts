export { type AuditEntry, deleteOldAuditEntries, insertAuditEntries } from './queries.ts';
