import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { writePrivate } from '../files.ts';
import { isHeld } from './lock.ts';
import { ADMIN_TOKEN_FILE, readSecret } from './secrets.ts';

const ADDRESS_FILE = 'server.json';

/** For command line tools on this machine. */
export function writeAddress(path: string, url: string): void {
  writePrivate(join(path, ADDRESS_FILE), JSON.stringify({ url, pid: process.pid }));
}

export function removeAddress(path: string): void {
  rmSync(join(path, ADDRESS_FILE), { force: true });
}

/** URL and admin token of the running server; null if none runs or its address is unknown. */
export function findServer(config: Config): { url: string; adminToken: string } | null {
  const path = resolve(config.dataDir);
  const address = join(path, ADDRESS_FILE);
  const adminToken = config.adminToken ?? readSecret(path, ADMIN_TOKEN_FILE);
  if (!existsSync(address) || adminToken === null || !isHeld(path)) return null;
  return { url: (JSON.parse(readFileSync(address, 'utf8')) as { url: string }).url, adminToken };
}
