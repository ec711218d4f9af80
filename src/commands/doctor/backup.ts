import type { Config } from '../../config.ts';
import { DAY_MS, systemClock } from '../../lib/clock.ts';
import { readLastBackup } from '../../lib/data-dir/index.ts';
import { type Finding, ok, unknown, warning } from './check.ts';

const OLD_DAYS = 2;

export async function checkBackup(config: Config): Promise<Finding> {
  if (config.databaseUrl !== null)
    return unknown(
      'backup.age',
      'Dumps of PostgreSQL cannot be seen from here: check that pg_dump runs each day (docs/guide/backup.md)',
    );
  const last = await readLastBackup(config);
  const mend = 'Set BACKUP_DIR to a folder on another disk, for one each day (docs/guide/backup.md).';
  if (last === null) return warning('backup.age', 'No backup of this data is known', mend);
  const days = Math.floor((systemClock.nowMs() - Date.parse(last.at)) / DAY_MS);
  return days >= OLD_DAYS
    ? warning('backup.age', `The last backup is ${days} days old`, mend)
    : ok('backup.age', `The last backup was made on ${last.at}`);
}
