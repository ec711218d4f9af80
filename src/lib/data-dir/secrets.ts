import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../errors.ts';
import { writePrivate } from '../files.ts';
import { makeSecret } from '../secrets.ts';
import { holdsApps } from './stored-data.ts';

export const SECRET_FILE = 'secret-key';
/** The root secret before, after a rotation. */
export const PREVIOUS_SECRET_FILE = 'secret-key.previous';
/** The SQLite file. */
export const DATABASE_FILE = 'throughline.db';
export const ADMIN_TOKEN_FILE = 'admin-token';
/** A backup needs them beside the data. */
export const SECRET_FILES = [SECRET_FILE, PREVIOUS_SECRET_FILE, ADMIN_TOKEN_FILE];

/** Null if missing. @throws StartError if empty: stored data would not match a new secret. */
export function readRootSecret(path: string): string | null {
  const file = join(path, SECRET_FILE);
  const secret = readSecret(path, SECRET_FILE);
  if (secret === null && existsSync(file))
    throw new StartError(
      `${file} is empty. Restore it from a backup, or delete it if nothing is stored yet.`,
    );
  return secret;
}

/** Creates the root secret. @throws StartError beside data that was stored with another one, unless that is accepted. */
export function createRootSecret(path: string, { acceptsNew }: { acceptsNew: boolean }): string {
  const [database, file] = [join(path, DATABASE_FILE), join(path, SECRET_FILE)];
  if (holdsApps(database) && !acceptsNew)
    throw new StartError(
      `${file} is missing, and the data in ${database} was stored with it. Copy it from a backup, or set SECRET_KEY if that was set before. If it is lost for good, start once with ACCEPT_NEW_SECRET_KEY=1, which makes another one: then nothing matches earlier records by address, and stored secrets must be set again (docs/guide/backup.md).`,
    );
  return createSecret(path, SECRET_FILE);
}

/**
 * Replaces the root secret by a new one, and keeps the former one beside it. A crash in between leaves both files with the
 * same secret, and a second call goes on.
 * @throws StartError while the former one of an earlier call is kept.
 */
export function replaceSecret(path: string): void {
  const [secret, previous] = [readRootSecret(path), readSecret(path, PREVIOUS_SECRET_FILE)];
  if (previous !== null && previous !== secret)
    throw new StartError(
      `${join(path, PREVIOUS_SECRET_FILE)} is left of an earlier rotation. Start the service, then run “throughline secret forget”.`,
    );
  writePrivate(join(path, PREVIOUS_SECRET_FILE), `${secret}\n`);
  createSecret(path, SECRET_FILE);
}

/** Null if missing or empty. */
export function readSecret(path: string, name: string): string | null {
  const file = join(path, name);
  return (existsSync(file) && readFileSync(file, 'utf8').trim()) || null;
}

export function createSecret(path: string, name: string): string {
  const secret = makeSecret();
  writePrivate(join(path, name), `${secret}\n`);
  return secret;
}
