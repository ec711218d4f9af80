import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, SECOND_MS } from './clock.ts';
import type { Config } from './config.ts';
import { StartError } from './errors.ts';
import { makeFolder } from './make-folder.ts';
import { makeSecret } from './secrets.ts';
import { syncPath } from './sync-path.ts';

/** The folder that one process owns: database, journal, secrets. */
export interface DataDir {
  readonly path: string;
  readonly rootSecret: string;
  readonly adminToken: string;
  /** Says where this process listens, for the command line beside it. */
  announce(url: string): void;
  release(): void;
}

const LOCK_FILE = 'lock.db';
const ADDRESS_FILE = 'server.json';
const WORKERS_FOLDER = 'workers';
const SECRET_FILE = 'secret-key';
const ADMIN_TOKEN_FILE = 'admin-token';
/** What a copy of the directory needs beside the data. */
export const SECRET_FILES = [SECRET_FILE, ADMIN_TOKEN_FILE];

/**
 * Takes the data directory for this process alone.
 * @throws StartError when another process has it or it cannot be written.
 */
export function takeDataDir(config: Config): DataDir {
  const path = resolve(config.dataDir);
  try {
    makeFolder(path);
  } catch (error) {
    throw new StartError(`DATA_DIR ${path} cannot be made: ${(error as Error).message}.`);
  }
  refuseReadOnly(path);
  const lock = takeLock(path);
  return {
    path,
    ...prepared(config, path, lock),
    announce: (url) => writePrivate(join(path, ADDRESS_FILE), JSON.stringify({ url, pid: process.pid })),
    release() {
      rmSync(join(path, ADDRESS_FILE), { force: true });
      lock.close();
    },
  };
}

/** @throws StartError, and gives the lock back. */
function prepared(
  config: Config,
  path: string,
  lock: DatabaseSync,
): Pick<DataDir, 'rootSecret' | 'adminToken'> {
  try {
    // Of a process that was killed: whoever listens there by now is not to be sent the admin token.
    rmSync(join(path, ADDRESS_FILE), { force: true });
    return {
      rootSecret: config.secretKey ?? readRootSecret(path) ?? keepSecret(path, SECRET_FILE),
      adminToken:
        config.adminToken ?? readSecret(path, ADMIN_TOKEN_FILE) ?? keepSecret(path, ADMIN_TOKEN_FILE),
    };
  } catch (error) {
    lock.close();
    if (error instanceof StartError) throw error;
    throw new StartError(`DATA_DIR ${path} cannot be used: ${(error as Error).message}.`);
  }
}

/** Whether a process ever took it. */
export function isDataDir(config: Config): boolean {
  return existsSync(join(resolve(config.dataDir), LOCK_FILE));
}

/** The data directory of one of several workers, in the one that they share. */
export function workerDir(dataDir: string, number: number): string {
  return join(dataDir, WORKERS_FOLDER, String(number));
}

/** Those of all workers that there ever were and whose journal nobody has adopted. */
export function listWorkerDirs(dataDir: string): string[] {
  const folder = join(dataDir, WORKERS_FOLDER);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => /^\d+$/.test(name)).map((name) => join(folder, name));
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

/** Where the process that holds the data directory listens, and its admin token; null when nobody does, or says so. */
export function findServer(config: Config): { url: string; adminToken: string } | null {
  const path = resolve(config.dataDir);
  const address = join(path, ADDRESS_FILE);
  const adminToken = config.adminToken ?? readSecret(path, ADMIN_TOKEN_FILE);
  if (!existsSync(address) || adminToken === null || !isHeld(path)) return null;
  return { url: (JSON.parse(readFileSync(address, 'utf8')) as { url: string }).url, adminToken };
}

/** The root secret that was made in the data directory; null where there is none, since `SECRET_KEY` was always set. */
export function findRootSecret(config: Config): string | null {
  return readRootSecret(resolve(config.dataDir));
}

/** That the data of the SQLite file lives in another database now. */
export interface MoveNote {
  readonly moveId: string;
  /** ISO 8601. */
  readonly movedAt: string;
}

/** Null where the data was not moved away. */
export function findMoveNote(config: Pick<Config, 'dataDir'>): MoveNote | null {
  const file = moveNoteFile(config);
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as MoveNote;
  } catch (error) {
    throw new StartError(
      `${file}, which says that the data was moved, cannot be read: ${(error as Error).message}. Give it to the service’s user.`,
    );
  }
}

/** @throws StartError for a SQLite file whose data was moved away: what it holds is no longer so. */
export function refuseMoved(config: Pick<Config, 'dataDir'>): void {
  const note = findMoveNote(config);
  if (note !== null)
    throw new StartError(
      `The data in ${config.dataDir} was moved to PostgreSQL at ${note.movedAt}: set DATABASE_URL. To go back to the file as it was then, delete ${moveNoteFile(config)}.`,
    );
}

/** From here on nobody uses the SQLite file, which stays as it is, unless the note is deleted. */
export function leaveMoveNote(config: Pick<Config, 'dataDir'>, note: MoveNote): void {
  const file = moveNoteFile(config);
  try {
    writePrivate(file, `${JSON.stringify(note)}\n`);
  } catch (error) {
    throw new StartError(
      `${file}, which says that the data was moved, cannot be written: ${(error as Error).message}. Mend that, and run “throughline db move” again, which starts over.`,
    );
  }
}

export function moveNoteFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(resolve(dataDir), 'moved.json');
}

/** Writes a file that only its owner can read, whole or not at all, and on disk when this returns. */
export function writePrivate(path: string, text: string): void {
  const draft = `${path}.new`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
  syncPath(dirname(path));
}

export class DataDirTaken extends StartError {}

/** On a disk that is read-only, files that are there already could be opened all the same. */
function refuseReadOnly(path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new StartError(`DATA_DIR ${path} cannot be written: ${(error as Error).message}.`);
  }
}

function isHeld(path: string): boolean {
  if (!existsSync(join(path, LOCK_FILE))) return false;
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

/** Longer than anybody takes to see whether it is held. */
const LOCK_WITHIN_MS = 200;

/** SQLite's lock on a file of its own: the system gives it back when the process ends, however it ends. */
function takeLock(path: string): DatabaseSync {
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

/** @throws StartError for an empty file: what was stored under the lost secret fits no new one. */
function readRootSecret(path: string): string | null {
  const file = join(path, SECRET_FILE);
  const secret = readSecret(path, SECRET_FILE);
  if (secret === null && existsSync(file))
    throw new StartError(
      `${file} is empty. Restore it from a backup, or delete it if nothing is stored yet.`,
    );
  return secret;
}

/** Null where there is none, or an empty one. */
function readSecret(path: string, name: string): string | null {
  const file = join(path, name);
  return (existsSync(file) && readFileSync(file, 'utf8').trim()) || null;
}

function keepSecret(path: string, name: string): string {
  const secret = makeSecret();
  writePrivate(join(path, name), `${secret}\n`);
  return secret;
}
