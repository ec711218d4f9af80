import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { journalDirectory } from '../../clicks/index.ts';
import { readConfig } from '../../platform/config.ts';
import { refuseMoved, SECRET_FILES } from '../../platform/data-dir/index.ts';
import { databaseFile, databaseRefused, isDamage } from '../../platform/db/index.ts';
import { backUpSqlite } from '../../platform/db/sqlite/back-up.ts';
import { StartError } from '../../platform/errors.ts';
import { makeFolder } from '../../platform/make-folder.ts';
import { syncPath } from '../../platform/sync-path.ts';
import { refuseWithoutData } from '../existing-data.ts';

/**
 * Makes a folder that is a data directory as it was at one moment, while the service runs: database, click journal and
 * secrets.
 */
export async function backup(folder: string): Promise<void> {
  const config = readConfig(process.env);
  if (config.databaseUrl !== null)
    throw new StartError(
      'The data is in the PostgreSQL of DATABASE_URL: back it up with pg_dump, as docs/backup.md says.',
    );
  await refuseWithoutData(config);
  refuseMoved(config);
  const backupPath = resolve(folder);
  if (isWithin(realPath(backupPath), realPath(resolve(config.dataDir))))
    throw new StartError(
      `${backupPath} is in DATA_DIR, and would go with it. Name a folder outside of ${resolve(config.dataDir)}.`,
    );
  if (existsSync(backupPath))
    throw new StartError(`${backupPath} is there already. Name a folder that is not.`);
  // The number of a process comes again, in a container with every start.
  const draft = `${backupPath}.${randomUUID()}.partial`;
  try {
    fill(draft, config.dataDir);
    renameSync(draft, backupPath);
    syncPath(dirname(backupPath));
  } catch (error) {
    if (error instanceof StartError) throw error;
    if (isDamage(error)) throw databaseRefused(config, error);
    const from = resolve(config.dataDir);
    throw new StartError(`${from} cannot be copied to ${backupPath}: ${(error as Error).message}.`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  process.stdout.write(`${report(backupPath, config.secretKey !== null)}\n`);
}

/** Past links, as far as it is there. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), basename(path));
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way.split(sep, 1)[0] !== '..' && !isAbsolute(way);
}

/**
 * The journal first: a click that leaves it meanwhile is in the database then, and one that is in both is stored once.
 */
function fill(draft: string, dataDir: string): void {
  makeFolder(journalDirectory(draft));
  copyJournal(journalDirectory(dataDir), journalDirectory(draft));
  backUpSqlite(databaseFile({ dataDir }), databaseFile({ dataDir: draft }));
  for (const name of SECRET_FILES)
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(draft, name));
  for (const folder of [journalDirectory(draft), draft])
    for (const entry of readdirSync(folder)) syncPath(join(folder, entry));
  syncPath(draft);
}

function copyJournal(from: string, to: string): void {
  if (!existsSync(from)) return;
  for (const name of readdirSync(from))
    try {
      copyFileSync(join(from, name), join(to, name));
    } catch (error) {
      // It is in the database.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
}

function report(backupPath: string, hasOwnSecret: boolean): string {
  const secret = hasOwnSecret
    ? 'SECRET_KEY is not in it, and without it the backup is worth little: keep it elsewhere.'
    : 'With secret-key it holds the root secret: keep it where nobody else reads.';
  return `${backupPath} is a backup, and was checked. ${secret} To restore it, start the service with a copy of it as DATA_DIR.`;
}
