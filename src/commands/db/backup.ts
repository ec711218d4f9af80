import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { assertOutside, copyData } from '../../backups/index.ts';
import { type Config, readConfig } from '../../config.ts';
import { isDamage, toStartError } from '../../db/index.ts';
import { StartError } from '../../errors.ts';
import { isoTime, systemClock } from '../../lib/clock.ts';
import { assertNotMoved, writeLastBackup } from '../../lib/data-dir/index.ts';
import { syncPath } from '../../lib/files.ts';
import { requireExistingData } from '../existing-data.ts';

/** Copies the data directory (database, click journal, secrets) consistently while the service runs. */
export async function backup(folder: string): Promise<void> {
  const config = readConfig(process.env);
  if (config.databaseUrl !== null)
    throw new StartError(
      'The data is in the PostgreSQL of DATABASE_URL: back it up with pg_dump, as docs/guide/backup.md says.',
    );
  await requireExistingData(config);
  assertNotMoved(config);
  const backupPath = resolve(folder);
  assertOutside(backupPath, resolve(config.dataDir));
  if (existsSync(backupPath)) throw new StartError(`${backupPath} already exists. Name a new folder.`);
  // Random: process ids repeat, in a container at every start.
  const draft = `${backupPath}.${randomUUID()}.partial`;
  try {
    copyData(draft, config.dataDir);
    renameSync(draft, backupPath);
    syncPath(dirname(backupPath));
    await noteBackup(config, backupPath);
  } catch (error) {
    if (error instanceof StartError) throw error;
    if (isDamage(error)) throw toStartError(config, error);
    const from = resolve(config.dataDir);
    throw new StartError(`${from} cannot be copied to ${backupPath}: ${(error as Error).message}.`);
  } finally {
    // A folder that this user may not enter has no draft, and to remove one would fail.
    if (existsSync(draft)) rmSync(draft, { recursive: true, force: true });
  }
  process.stdout.write(`${report(backupPath, config.secretKey !== null)}\n`);
}

/** For the health of the service. The backup is complete whether or not its user may write there. */
async function noteBackup(config: Config, folder: string): Promise<void> {
  try {
    await writeLastBackup(config, { at: isoTime(systemClock.nowMs()), folder });
  } catch {
    process.stderr.write(
      `The health of the service will not show this backup: its time cannot be written to ${resolve(config.dataDir)}.\n`,
    );
  }
}

function report(backupPath: string, hasOwnSecret: boolean): string {
  const secret = hasOwnSecret
    ? 'It does not contain SECRET_KEY, which a restore needs: store that separately.'
    : 'It contains the root secret in secret-key: restrict access to it.';
  return `Created and checked the backup ${backupPath}. ${secret} To restore it, start the service with a copy of it as DATA_DIR.`;
}
