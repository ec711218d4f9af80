import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { journalDirectory, segmentFile } from '../../click-log/index.ts';
import { type Config, readConfig } from '../../config.ts';
import { databaseFile, isDamage, toStartError } from '../../db/index.ts';
import { backUpSqlite } from '../../db/sqlite/back-up.ts';
import { StartError } from '../../errors.ts';
import { isoTime, systemClock } from '../../lib/clock.ts';
import { assertNotMoved, SECRET_FILES, writeLastBackup } from '../../lib/data-dir/index.ts';
import { makeDirectory, syncPath } from '../../lib/files.ts';
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
  if (isWithin(realPath(backupPath), realPath(resolve(config.dataDir))))
    throw new StartError(
      `${backupPath} is in DATA_DIR and would be lost with it. Name a folder outside of ${resolve(config.dataDir)}.`,
    );
  if (existsSync(backupPath)) throw new StartError(`${backupPath} already exists. Name a new folder.`);
  // Random: process ids repeat, in a container at every start.
  const draft = `${backupPath}.${randomUUID()}.partial`;
  try {
    copyData(draft, config.dataDir);
    renameSync(draft, backupPath);
    syncPath(dirname(backupPath));
    noteBackup(config, backupPath);
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
function noteBackup(config: Config, folder: string): void {
  try {
    writeLastBackup(config, { at: isoTime(systemClock.nowMs()), folder });
  } catch {
    process.stderr.write(
      `The health of the service will not show this backup: its time cannot be written to ${resolve(config.dataDir)}.\n`,
    );
  }
}

/** Resolves symbolic links in the part of the path that exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), basename(path));
}

function isWithin(path: string, folder: string): boolean {
  const fromFolder = relative(folder, path);
  return fromFolder.split(sep, 1)[0] !== '..' && !isAbsolute(fromFolder);
}

/** Copies the journal before the database: a click applied in between is then in both copies, and is stored once. */
function copyData(draft: string, dataDir: string): void {
  makeDirectory(journalDirectory(draft));
  copyJournal(journalDirectory(dataDir), journalDirectory(draft));
  backUpSqlite(databaseFile({ dataDir }), databaseFile({ dataDir: draft }));
  for (const name of SECRET_FILES)
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(draft, name));
  for (const folder of [journalDirectory(draft), draft])
    for (const entry of readdirSync(folder)) syncPath(join(folder, entry));
  syncPath(draft);
}

/** The main journal first: its clicks may be moved to a lane meanwhile, never back. */
function copyJournal(from: string, to: string): void {
  if (!existsSync(from)) return;
  const isOfLane = (name: string) => (segmentFile(name)?.appId ?? null) !== null;
  copyFiles(readdirSync(from).filter((name) => !isOfLane(name)));
  copyFiles(readdirSync(from).filter(isOfLane));

  function copyFiles(names: readonly string[]): void {
    for (const name of names)
      try {
        copyFileSync(join(from, name), join(to, name));
      } catch (error) {
        // Deleted meanwhile: its clicks are in the database or a lane.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
  }
}

function report(backupPath: string, hasOwnSecret: boolean): string {
  const secret = hasOwnSecret
    ? 'It does not contain SECRET_KEY, which a restore needs: store that separately.'
    : 'It contains the root secret in secret-key: restrict access to it.';
  return `Created and checked the backup ${backupPath}. ${secret} To restore it, start the service with a copy of it as DATA_DIR.`;
}
