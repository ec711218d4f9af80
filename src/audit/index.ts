export { type AuditEntry, insertAuditEntries } from './queries.ts';
