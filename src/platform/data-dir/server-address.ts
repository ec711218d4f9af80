import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { writePrivate } from '../write-private.ts';
import { isHeld } from './lock.ts';
import { ADMIN_TOKEN_FILE, readSecret } from './secrets.ts';

const ADDRESS_FILE = 'server.json';

/** Says where this process listens, for the command line beside it. */
export function keepAddress(path: string, url: string): void {
  writePrivate(join(path, ADDRESS_FILE), JSON.stringify({ url, pid: process.pid }));
}

/** Does nothing where there is none. */
export function forgetAddress(path: string): void {
  rmSync(join(path, ADDRESS_FILE), { force: true });
}

/** Where the process that holds the data directory listens, and its admin token; null when nobody does, or says so. */
export function findServer(config: Config): { url: string; adminToken: string } | null {
  const path = resolve(config.dataDir);
  const address = join(path, ADDRESS_FILE);
  const adminToken = config.adminToken ?? readSecret(path, ADMIN_TOKEN_FILE);
  if (!existsSync(address) || adminToken === null || !isHeld(path)) return null;
  return { url: (JSON.parse(readFileSync(address, 'utf8')) as { url: string }).url, adminToken };
}
