import { StartError } from '../errors.ts';

/** Of daily copies of the data directory. */
export interface BackupSettings {
  readonly dir: string;
  /** Of the day, in UTC. */
  readonly atMinutes: number;
  readonly keepDays: number;
}

const DEFAULT_AT = '02:00';
const DEFAULT_KEEP_DAYS = '14';

/** Null without a folder. @throws StartError that names the invalid variable and its rule. */
export function readBackupSettings(
  { dir, at, keepDays }: { dir: string | null; at: string | null; keepDays: string | null },
  databaseUrl: string | null,
): BackupSettings | null {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(at ?? DEFAULT_AT) ?? [];
  if (hours === undefined)
    throw new StartError(`BACKUP_AT must be a time of the day in UTC such as ${DEFAULT_AT}, not “${at}”.`);
  const days = keepDays ?? DEFAULT_KEEP_DAYS;
  if (!/^[1-9]\d{0,3}$/.test(days))
    throw new StartError(`BACKUP_KEEP_DAYS must be a whole number from 1 to 9999, not “${days}”.`);
  if (dir === null) return null;
  if (databaseUrl !== null)
    throw new StartError(
      'BACKUP_DIR is for the SQLite file: back up the data of DATABASE_URL by pg_dump, once a day by cron or a timer, as docs/guide/backup.md says.',
    );
  return { dir, atMinutes: Number(hours) * 60 + Number(minutes), keepDays: Number(days) };
}
