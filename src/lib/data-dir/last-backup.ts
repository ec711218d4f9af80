import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { DAY_MS } from '../clock.ts';
import { writePrivate } from '../files.ts';

const OLD_DAYS = 8;
/** One is made each day. */
const OLD_SCHEDULED_DAYS = 2;

/** The file `last-backup.json`: when a backup of this directory was last completed, for the service beside the command. */
interface LastBackup {
  /** ISO 8601. */
  readonly at: string;
  readonly folder: string;
  /** The last scheduled one. */
  readonly scheduled?: {
    /** ISO 8601. */
    readonly at: string;
    /** `BACKUP_DIR`. */
    readonly into: string;
    /** The number of its device. */
    readonly disk: number | undefined;
  };
}

type Place = Pick<Config, 'dataDir'>;

/** Null if none is known, or the file cannot be read. */
export async function readLastBackup(place: Place): Promise<LastBackup | null> {
  try {
    const last = JSON.parse(await readFile(fileOf(place), 'utf8')) as LastBackup;
    return Number.isNaN(Date.parse(last.at)) ? null : last;
  } catch {
    return null;
  }
}

export async function writeLastBackup(place: Place, backup: LastBackup): Promise<void> {
  const last = await readLastBackup(place);
  writePrivate(fileOf(place), `${JSON.stringify({ ...last, ...backup })}\n`);
}

/** Whether it is told that no newer one was made. */
export function isOldBackup(ageMs: number, { isScheduled }: { readonly isScheduled: boolean }): boolean {
  return ageMs > (isScheduled ? OLD_SCHEDULED_DAYS : OLD_DAYS) * DAY_MS;
}

function fileOf({ dataDir }: Place): string {
  return join(dataDir, 'last-backup.json');
}
