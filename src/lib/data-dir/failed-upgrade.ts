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

/** In the same file after a rollback: no version migrates that data again, until one without pending migrations has started. */
type UndoneUpgrade = Pick<FailedUpgrade, 'message'> & { readonly isUndone: true };

type Place = Pick<Config, 'dataDir'>;

/** The message of the same upgrade of the same data, or of a rollback before it; null if there was none. */
export function readFailedUpgrade(place: Place, now: Omit<FailedUpgrade, 'message'>): string | null {
  try {
    const failed = JSON.parse(readFileSync(fileOf(place), 'utf8')) as FailedUpgrade | UndoneUpgrade;
    const isSame = 'isUndone' in failed || (failed.version === now.version && failed.source === now.source);
    return isSame ? failed.message : null;
  } catch {
    return null;
  }
}

/** Only saves time: a disk that takes no file keeps no message. */
export function writeFailedUpgrade(place: Place, failed: FailedUpgrade | UndoneUpgrade): void {
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
