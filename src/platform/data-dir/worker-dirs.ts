import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const WORKERS_FOLDER = 'workers';

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
