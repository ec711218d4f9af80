/** SQLite's lock on a file of its own: the system gives it back when the process ends, however it ends. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, SECOND_MS } from '../clock.ts';
import { StartError } from '../errors.ts';

const LOCK_FILE = 'lock.db';
/** Longer than anybody takes to see whether it is held. */
const LOCK_WITHIN_MS = 200;

/** Another process has the data directory. */
export class DataDirTaken extends StartError {}

/**
 * Locks a data directory for this process.
 * @throws DataDirTaken while another one has it; StartError where it cannot be written.
 */
export function takeLock(path: string): { close(): void } {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(path, LOCK_FILE), { timeout: LOCK_WITHIN_MS });
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock?.close();
    if (/locked/.test((error as Error).message))
      throw new DataDirTaken(
        `Another process is using ${path}. Stop it, or give this one a DATA_DIR of its own.`,
      );
    throw new StartError(`DATA_DIR ${path} cannot be written: ${(error as Error).message}.`);
  }
}

/** Whoever ends is gone by then. */
export const FREE_WITHIN_MS = 10 * SECOND_MS;
const LOOK_AGAIN_MS = 50;

/**
 * Locks a data directory whose process is about to end, if it is not gone already.
 * @throws DataDirTaken when it does not end.
 */
export async function lockWhenFree(path: string): Promise<{ close(): void }> {
  const untilMs = monotonicMs() + FREE_WITHIN_MS;
  for (;;)
    try {
      return takeLock(path);
    } catch (error) {
      if (!(error instanceof DataDirTaken) || monotonicMs() > untilMs) throw error;
      await sleep(LOOK_AGAIN_MS);
    }
}

/** Whether a process has it. */
export function isHeld(path: string): boolean {
  if (!wasTaken(path)) return false;
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

/** Whether a process ever took it. */
export function wasTaken(path: string): boolean {
  return existsSync(join(path, LOCK_FILE));
}
