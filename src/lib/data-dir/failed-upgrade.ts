import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { writePrivate } from '../files.ts';

/** The file `failed-upgrade.json`: the next start says the same at once, in place of an hour of migrations. */
interface FailedUpgrade {
  readonly version: string;
  /** Identifies the data that could not be migrated, by `fileState`. */
  readonly source: string;
  readonly message: string;
}

type Place = Pick<Config, 'dataDir'>;

/** The message of the same upgrade of the same data; null if there was none. */
export function readFailedUpgrade(place: Place, now: Omit<FailedUpgrade, 'message'>): string | null {
  try {
    const failed = JSON.parse(readFileSync(fileOf(place), 'utf8')) as FailedUpgrade;
    return failed.version === now.version && failed.source === now.source ? failed.message : null;
  } catch {
    return null;
  }
}

/** Only saves time: a disk that takes no file keeps no message. */
export function writeFailedUpgrade(place: Place, failed: FailedUpgrade): void {
  try {
    writePrivate(fileOf(place), `${JSON.stringify(failed)}\n`);
  } catch {}
}

export function removeFailedUpgrade(place: Place): void {
  rmSync(fileOf(place), { force: true });
}

function fileOf({ dataDir }: Place): string {
  return join(resolve(dataDir), 'failed-upgrade.json');
}
