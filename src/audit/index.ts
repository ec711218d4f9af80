export type { Action } from './actions.ts';
export {
  type ActingUser,
  type AdminToken,
  CHANGES_KEPT_DAYS,
  type Change,
  type ChangedBy,
  changeContinued,
  changerFields,
  continueChange,
  namedFields,
  recordChange,
  recordChanges,
  type ValueChange,
} from './change.ts';
export { changedValues } from './changed-values.ts';
export {
  type AuditEntry,
  countAbandonedDeliveries,
  deleteOldAuditEntries,
  deleteOldChanges,
  insertAuditEntries,
} from './queries.ts';
export { deleteOldSignIns, recordServiceChange } from './service-log.ts';
