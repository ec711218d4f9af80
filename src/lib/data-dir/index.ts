export { readFailedUpgrade, removeFailedUpgrade, writeFailedUpgrade } from './failed-upgrade.ts';
export { isOldBackup, readLastBackup, writeLastBackup } from './last-backup.ts';
export { DataDirInUse } from './lock.ts';
export { assertNotMoved, moveMarkerFile, readMoveMarker, writeMoveMarker } from './move-marker.ts';
export {
  type DataDir,
  findRootSecret,
  findRootSecrets,
  holdDataDir,
  isDataDir,
  openDataDir,
  type RootSecrets,
  replaceRootSecret,
  rootSecretFile,
} from './open-data-dir.ts';
export { completeRollback, JOURNAL_FOLDER, swapData } from './rollback.ts';
export { DATABASE_FILE, PREVIOUS_SECRET_FILE, SECRET_FILES } from './secrets.ts';
export { findServer, findServerPid } from './server-address.ts';
export {
  COPIES_KEPT_DAYS,
  copyName,
  listCopies,
  nextNumber,
  noteFile,
  partialFolder,
  removeOldCopies,
  type UpgradeCopy,
  type UpgradeNote,
} from './upgrades.ts';
