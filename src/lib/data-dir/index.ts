export { readFailedUpgrade, removeFailedUpgrade, writeFailedUpgrade } from './failed-upgrade.ts';
export { readLastBackup, writeLastBackup } from './last-backup.ts';
export { DataDirInUse } from './lock.ts';
export { assertNotMoved, moveMarkerFile, readMoveMarker, writeMoveMarker } from './move-marker.ts';
export {
  type DataDir,
  findRootSecret,
  holdDataDir,
  isDataDir,
  openDataDir,
  rootSecretFile,
} from './open-data-dir.ts';
export { completeRollback, JOURNAL_FOLDER, swapData } from './rollback.ts';
export { DATABASE_FILE, SECRET_FILES } from './secrets.ts';
export { findServer } from './server-address.ts';
export {
  COPIES_KEPT_DAYS,
  copyName,
  listCopies,
  noteFile,
  partialFolder,
  removeOldCopies,
  type UpgradeCopy,
  type UpgradeNote,
} from './upgrades.ts';
