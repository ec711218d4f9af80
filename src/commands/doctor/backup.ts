import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { DAY_MS, systemClock } from '../../lib/clock.ts';
import { findServer, isOldBackup, readLastBackup } from '../../lib/data-dir/index.ts';
import { type Finding, ok, unknown, warning } from './check.ts';
import { ask } from './service.ts';

export async function checkBackup(config: Config): Promise<Finding | Finding[]> {
  const { databaseUrl, backup, dataDir } = config;
  if (databaseUrl !== null)
    return unknown(
      'backup.age',
      'Dumps of PostgreSQL cannot be seen from here: check that pg_dump runs each day (docs/guide/backup.md)',
    );
  const last = await readLastBackup({ dataDir });
  return backup === null
    ? checkAge(last, {
        isScheduled: false,
        mend: 'Set BACKUP_DIR to a folder on another disk, for one each day (docs/guide/backup.md).',
      })
    : [
        (await findFailure(config)) ?? checkFolder(backup.dir),
        checkAge(last, {
          isScheduled: true,
          mend: 'The service makes those of BACKUP_DIR: let it run, and look for “Failed to make a backup” in its log.',
        }),
      ];
}

/** What the running service says, whose unit may keep it out of a folder that this command can write to. */
async function findFailure(config: Config): Promise<Finding | null> {
  try {
    const server = findServer(config);
    if (server === null) return null;
    const { text } = await ask(`${server.url}/v1/admin/health`, {
      authorization: `Bearer ${server.adminToken}`,
    });
    const { problems } = JSON.parse(text) as { problems: { code: string; message: string }[] };
    const failure = problems.find(({ code }) => code === 'backup.failing');
    return failure === undefined
      ? null
      : warning(
          'backup.folder',
          failure.message,
          'Mend that (docs/guide/backup.md), and restart the service.',
        );
  } catch {
    // `service.running` says it.
    return null;
  }
}

function checkAge(
  last: { readonly at: string } | null,
  { isScheduled, mend }: { isScheduled: boolean; mend: string },
): Finding {
  if (last === null) return warning('backup.age', 'No backup of this data is known', mend);
  const ageMs = systemClock.nowMs() - Date.parse(last.at);
  return isOldBackup(ageMs, { isScheduled })
    ? warning('backup.age', `The last backup is ${Math.floor(ageMs / DAY_MS)} days old`, mend)
    : ok('backup.age', `The last backup was made on ${last.at}`);
}

/** Of a folder that is not there yet: whether it can be made. */
function checkFolder(dir: string): Finding {
  let path = resolve(dir);
  while (!existsSync(path)) path = dirname(path);
  const isFolder = statSync(path).isDirectory();
  try {
    if (isFolder) {
      accessSync(path, constants.W_OK | constants.X_OK);
      return ok('backup.folder', `BACKUP_DIR can be written to`);
    }
  } catch {
    // Said below.
  }
  return warning(
    'backup.folder',
    isFolder
      ? `${path} is not writable for this user, so BACKUP_DIR gets no backup`
      : `${path} is no folder, so BACKUP_DIR gets no backup`,
    'Let the folder belong to the user of the service (docs/guide/backup.md), or name another one.',
  );
}
