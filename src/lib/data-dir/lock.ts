/** The exclusive lock of a SQLite file, which the system releases when the process ends or crashes. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../errors.ts';

const LOCK_FILE = 'lock.db';
/** Longer than the read lock of `isHeld`. */
const BUSY_TIMEOUT_MS = 200;

export class DataDirInUse extends StartError {
  constructor(message: string) {
    super(message, { mayPass: true });
  }
}

/** @throws DataDirInUse while another process holds the lock; StartError if the directory is not writable. */
export function takeLock(path: string): { close(): void } {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(path, LOCK_FILE), { timeout: BUSY_TIMEOUT_MS });
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock?.close();
    if (/locked/.test((error as Error).message))
      throw new DataDirInUse(`Another process is using ${path}. Stop it, or set another DATA_DIR.`);
    const { message } = error as Error;
    const mayPass = /full/.test(message);
    throw new StartError(
      `DATA_DIR ${path} is not writable: ${message}. ${mayPass ? 'Free space on its disk.' : giveToUser()}`,
      { mayPass },
    );
  }
}

/** What to do with a folder that this user cannot write to. */
export function giveToUser(): string {
  const user = process.geteuid?.() ?? 'USER';
  return `Give the folder and its files to the user of the service, as with chown -R ${user} FOLDER, or set another DATA_DIR.`;
}

/** Whether a process holds the lock. */
export function isHeld(path: string): boolean {
  if (!wasHeld(path)) return false;
  const lock = new DatabaseSync(join(path, LOCK_FILE), { readOnly: true });
  try {
    lock.exec('select 1 from sqlite_schema');
    return false;
  } catch (error) {
    if (/locked/.test((error as Error).message)) return true;
    throw error;
  } finally {
    lock.close();
  }
}

/** Whether a process has ever held the lock. */
export function wasHeld(path: string): boolean {
  return existsSync(join(path, LOCK_FILE));
}
