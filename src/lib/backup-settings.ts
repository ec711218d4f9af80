import { integer, refuse } from './setting-readers.ts';

/** Of daily copies of the data directory. */
export interface BackupSettings {
  readonly dir: string;
  /** Of the day, in UTC. */
  readonly atMinutes: number;
  readonly keepDays: number;
}

const DEFAULT_AT = '02:00';
const DEFAULT_KEEP_DAYS = 14;

/** Null without a folder. @throws StartError that names the invalid variable and its rule. */
export function readBackupSettings(
  { dir, at, keepDays }: { dir: string | null; at: string | null; keepDays: string | null },
  databaseUrl: string | null,
): BackupSettings | null {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(at ?? DEFAULT_AT) ?? [];
  if (hours === undefined)
    refuse('BACKUP_AT', `must be a time of the day in UTC such as ${DEFAULT_AT}, not “${at}”`);
  const days = integer('BACKUP_KEEP_DAYS', keepDays, DEFAULT_KEEP_DAYS, 1, 9_999);
  if (dir === null) return null;
  if (databaseUrl !== null)
    refuse(
      'BACKUP_DIR',
      'is for the SQLite file: back up the data of DATABASE_URL by pg_dump, once a day by cron or a timer, as docs/guide/backup.md says',
    );
  return { dir, atMinutes: Number(hours) * 60 + Number(minutes), keepDays: days };
}
