import { accessSync, constants } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { makeDirectory, writeFault } from '../files.ts';
import { giveToUser, takeLock, wasHeld } from './lock.ts';
import { completeRollback } from './rollback.ts';
import {
  ADMIN_TOKEN_FILE,
  createRootSecret,
  createSecret,
  PREVIOUS_SECRET_FILE,
  readRootSecret,
  readSecret,
  replaceSecret,
  SECRET_FILE,
} from './secrets.ts';
import { removeAddress, writeAddress } from './server-address.ts';
import { removePartialCopies } from './upgrades.ts';

/** The root secrets that this process was given. */
export interface RootSecrets {
  readonly rootSecret: string;
  /** The one before, and the one to come, if they were given. */
  readonly previousSecret?: string | null;
  readonly nextSecret?: string | null;
}

/** The directory of the database, the journal and the secrets, locked by this process. */
export interface DataDir extends RootSecrets {
  readonly path: string;
  readonly adminToken: string;
  /** Publishes the URL of this process to command line tools on this machine. */
  announce(url: string): void;
  release(): void;
}

/** Creates, locks and prepares the data directory. @throws StartError if it is in use or not writable. */
export function openDataDir(config: Config): DataDir {
  const path = resolve(config.dataDir);
  try {
    makeDirectory(path);
  } catch (error) {
    throw new StartError(`DATA_DIR ${path} cannot be created: ${writeFault(error)}.`);
  }
  const lock = holdDataDir(config);
  return {
    path,
    ...readSecrets(config, path, lock),
    announce: (url) => writeAddress(path, url),
    release() {
      removeAddress(path);
      lock.release();
    },
  };
}

/**
 * Locks the directory, and completes or removes what a killed process left of a rollback or a copy.
 * @returns also the name of the copy whose rollback was completed.
 * @throws StartError if it is in use or not writable.
 */
export function holdDataDir(config: Pick<Config, 'dataDir'>): {
  readonly completed: string | null;
  release(): void;
} {
  const path = resolve(config.dataDir);
  try {
    // A read-only disk would let existing files be opened.
    accessSync(path, constants.W_OK);
  } catch (error) {
    const isReadOnly = (error as NodeJS.ErrnoException).code === 'EROFS';
    throw new StartError(
      `DATA_DIR ${path} is not writable: ${writeFault(error)}.${isReadOnly ? '' : ` ${giveToUser()}`}`,
    );
  }
  const lock = takeLock(path);
  try {
    const completed = completeRollback(config);
    removePartialCopies(config);
    return { completed, release: () => lock.close() };
  } catch (error) {
    lock.close();
    throw new StartError(
      `What an interrupted command left in DATA_DIR ${path} cannot be completed: ${(error as Error).message}. Mend that, then start again.`,
    );
  }
}

/** Releases the lock on failure. */
function readSecrets(
  config: Config,
  path: string,
  lock: { release(): void },
): Pick<DataDir, keyof RootSecrets | 'adminToken'> {
  try {
    // Left by a killed process: the tools must not send the admin token there.
    removeAddress(path);
    return {
      rootSecret:
        config.secretKey ??
        readRootSecret(path) ??
        createRootSecret(path, { acceptsNew: config.acceptNewSecretKey }),
      ...otherSecrets(config),
      adminToken:
        config.adminToken ?? readSecret(path, ADMIN_TOKEN_FILE) ?? createSecret(path, ADMIN_TOKEN_FILE),
    };
  } catch (error) {
    lock.release();
    if (error instanceof StartError) throw error;
    throw new StartError(`DATA_DIR ${path} is not usable: ${(error as Error).message}.`);
  }
}

function otherSecrets(config: Config): Omit<RootSecrets, 'rootSecret'> {
  const inFile = () =>
    config.secretKey === null ? readSecret(resolve(config.dataDir), PREVIOUS_SECRET_FILE) : null;
  return { previousSecret: config.previousSecretKey ?? inFile(), nextSecret: config.nextSecretKey };
}

/** The root secrets of a directory that another process holds; null if it has none yet. */
export function findRootSecrets(config: Config): RootSecrets | null {
  const rootSecret = config.secretKey ?? findRootSecret(config);
  return rootSecret === null ? null : { rootSecret, ...otherSecrets(config) };
}

/** Whether a process has ever used it. */
export function isDataDir(config: Config): boolean {
  return wasHeld(resolve(config.dataDir));
}

/** Null if `SECRET_KEY` was always set. */
export function findRootSecret(config: Config): string | null {
  return readRootSecret(resolve(config.dataDir));
}

/** The service uses the new one from its next start on. @throws StartError while a rotation is in progress. */
export function replaceRootSecret(config: Config): void {
  replaceSecret(resolve(config.dataDir));
}

/** Where the root secret is unless `SECRET_KEY` is set. */
export function rootSecretFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(resolve(dataDir), SECRET_FILE);
}
