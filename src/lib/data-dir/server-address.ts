import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
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

/** Null if no server runs or its address is unknown. */
function readAddress(path: string): { url: string; pid: number } | null {
  const address = join(path, ADDRESS_FILE);
  if (!existsSync(address) || !isHeld(path)) return null;
  return JSON.parse(readFileSync(address, 'utf8')) as { url: string; pid: number };
}

/** The process ID of the running server; null if none runs. */
export function findServerPid({ dataDir }: Pick<Config, 'dataDir'>): number | null {
  return readAddress(resolve(dataDir))?.pid ?? null;
}

/**
 * URL and admin token of the running server; null if none runs or its address is unknown.
 * @throws StartError if the token is lost.
 */
export function findServer(config: Config): { url: string; adminToken: string } | null {
  const path = resolve(config.dataDir);
  const url = readAddress(path)?.url;
  if (url === undefined) return null;
  const adminToken = config.adminToken ?? readSecret(path, ADMIN_TOKEN_FILE);
  if (adminToken === null)
    throw new StartError(
      `${join(path, ADMIN_TOKEN_FILE)} is missing or empty, and the service at ${url} asks for the token. Restart the service, which makes a new one; with ADMIN_TOKEN set for the service, set it here too.`,
    );
  return { url, adminToken };
}
