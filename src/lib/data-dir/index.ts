export { readLastBackup, writeLastBackup } from './last-backup.ts';
export { DataDirInUse } from './lock.ts';
export { assertNotMoved, moveMarkerFile, readMoveMarker, writeMoveMarker } from './move-marker.ts';
export { type DataDir, findRootSecret, isDataDir, openDataDir, rootSecretFile } from './open-data-dir.ts';
export { DATABASE_FILE, SECRET_FILES } from './secrets.ts';
export { findServer } from './server-address.ts';
