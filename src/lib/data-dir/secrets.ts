import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../errors.ts';
import { writePrivate } from '../files.ts';
import { makeSecret } from '../secrets.ts';

export const SECRET_FILE = 'secret-key';
export const ADMIN_TOKEN_FILE = 'admin-token';
/** A backup needs them beside the data. */
export const SECRET_FILES = [SECRET_FILE, ADMIN_TOKEN_FILE];

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
