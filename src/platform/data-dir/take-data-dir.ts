import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { StartError } from '../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { takeLock, wasTaken } from './lock.ts';
import { ADMIN_TOKEN_FILE, keepSecret, readRootSecret, readSecret, SECRET_FILE } from './secrets.ts';
import { forgetAddress, keepAddress } from './server-address.ts';

/** The folder that one process owns: database, journal, secrets. */
export interface DataDir {
  readonly path: string;
  readonly rootSecret: string;
  readonly adminToken: string;
  /** Says where this process listens, for the command line beside it. */
  announce(url: string): void;
  release(): void;
}

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
    announce: (url) => keepAddress(path, url),
    release() {
      forgetAddress(path);
      lock.close();
    },
  };
}

/** @throws StartError, and gives the lock back. */
function prepared(
  config: Config,
  path: string,
  lock: { close(): void },
): Pick<DataDir, 'rootSecret' | 'adminToken'> {
  try {
    // Of a process that was killed: whoever listens there by now is not to be sent the admin token.
    forgetAddress(path);
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
  return wasTaken(resolve(config.dataDir));
}

/** The root secret that was made in the data directory; null where there is none, since `SECRET_KEY` was always set. */
export function findRootSecret(config: Config): string | null {
  return readRootSecret(resolve(config.dataDir));
}

/** On a disk that is read-only, files that are there already could be opened all the same. */
function refuseReadOnly(path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new StartError(`DATA_DIR ${path} cannot be written: ${(error as Error).message}.`);
  }
}
