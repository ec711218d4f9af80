export { DataDirTaken, FREE_WITHIN_MS, lockWhenFree } from './lock.ts';
export { findMoveNote, leaveMoveNote, moveNoteFile, refuseMoved } from './move-note.ts';
export { SECRET_FILES } from './secrets.ts';
export { findServer } from './server-address.ts';
export { type DataDir, findRootSecret, isDataDir, takeDataDir } from './take-data-dir.ts';
export { listWorkerDirs, workerDir } from './worker-dirs.ts';
