import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../errors.ts';
import { makeSecret } from '../secrets.ts';
import { writePrivate } from '../write-private.ts';

/** Files of the data directory; only the service's user may read them. */
export const SECRET_FILE = 'secret-key';
export const ADMIN_TOKEN_FILE = 'admin-token';
/** What a copy of the directory needs beside the data. */
export const SECRET_FILES = [SECRET_FILE, ADMIN_TOKEN_FILE];

/** Null where there is none. @throws StartError for an empty file: what was stored under the lost secret fits no new one. */
export function readRootSecret(path: string): string | null {
  const file = join(path, SECRET_FILE);
  const secret = readSecret(path, SECRET_FILE);
  if (secret === null && existsSync(file))
    throw new StartError(
      `${file} is empty. Restore it from a backup, or delete it if nothing is stored yet.`,
    );
  return secret;
}

/** Null where there is none, or an empty one. */
export function readSecret(path: string, name: string): string | null {
  const file = join(path, name);
  return (existsSync(file) && readFileSync(file, 'utf8').trim()) || null;
}

/** Makes one and keeps it. */
export function keepSecret(path: string, name: string): string {
  const secret = makeSecret();
  writePrivate(join(path, name), `${secret}\n`);
  return secret;
}
