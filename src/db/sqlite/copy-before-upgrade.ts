/** A checked copy of the data before pending migrations change it: the way back to the version before. */
import { constants, copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import { StartError } from '../../errors.ts';
import { isoTime, SECOND_MS, systemClock } from '../../lib/clock.ts';
import {
  copyName,
  DATABASE_FILE,
  JOURNAL_FOLDER,
  listCopies,
  nextNumber,
  noteFile,
  partialFolder,
  removeOldCopies,
  SECRET_FILES,
  type UpgradeNote,
} from '../../lib/data-dir/index.ts';
import { inheritOwner, makeDirectory, syncPath, writePrivate } from '../../lib/files.ts';
import { freeBeyondReserve } from '../../lib/free-space.ts';
import type { Log } from '../../lib/log.ts';
import { BUSY_TIMEOUT_MS } from './statements.ts';

const MIB = 1024 * 1024;
/** For programs that read the file: the copy then has the log beside it. */
const CHECKPOINT_WAIT_MS = 500;
const PROGRESS_EVERY_MS = 10 * SECOND_MS;

interface Upgrade {
  readonly dataDir: string;
  readonly fromVersion: string | null;
  readonly toVersion: string;
  readonly log: Log;
}

/**
 * Copies the database, the journal and the secrets. The caller holds the data directory; other programs may read the file
 * meanwhile. Data that has not changed since its last copy is not copied again.
 * @throws StartError if there is no room for a copy, or the copy is damaged.
 */
export async function copyBeforeUpgrade({ dataDir, fromVersion, toVersion, log }: Upgrade): Promise<void> {
  const place = { dataDir };
  const path = join(dataDir, DATABASE_FILE);
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // In most cases the file then has everything, and the copy no log beside it.
    db.exec(
      `pragma busy_timeout = ${CHECKPOINT_WAIT_MS}; pragma wal_checkpoint(truncate); pragma busy_timeout = ${BUSY_TIMEOUT_MS}`,
    );
    const source = dataState(dataDir);
    if (listCopies(place).some((copy) => copy.kind === 'before' && copy.source === source)) return;
    const note: UpgradeNote = {
      ...{ kind: 'before', number: nextNumber(place), at: isoTime(systemClock.nowMs()) },
      ...{ fromVersion, toVersion, source },
    };
    const partial = partialFolder(place, copyName(note));
    makeDirectory(partial);
    try {
      // Nobody writes until the copy is complete. A checkpoint of another program may move pages: the log has them as well.
      db.exec('begin immediate');
      await copyDatabase(dataDir, join(partial, DATABASE_FILE), log);
      db.exec('rollback');
      await explaining(path, () => copyRest(dataDir, partial));
      await check(join(partial, DATABASE_FILE), log);
      publish(partial, note);
    } catch (error) {
      rmSync(partial, { recursive: true, force: true });
      throw error;
    }
    log.info({ copy: copyName(note) }, 'Copied the database before the upgrade');
    dropOldCopies(place, log);
  } finally {
    db.close();
  }
}

/** One that cannot be removed, such as of another user, is no reason not to upgrade. */
function dropOldCopies(place: { dataDir: string }, log: Log): void {
  try {
    removeOldCopies(place, systemClock.nowMs());
  } catch (error) {
    log.warn({ err: error }, 'Failed to remove an old copy from before an upgrade: delete it by hand');
  }
}

/** Identifies the contents of a file and its log, by size and time of the last write. */
export function fileState(path: string): string {
  return stateOf([path, `${path}-wal`]);
}

/** Of all that is copied: what the version before has acknowledged since a copy may be in the journal alone. */
function dataState(dataDir: string): string {
  const path = join(dataDir, DATABASE_FILE);
  const secrets = SECRET_FILES.map((name) => join(dataDir, name));
  return stateOf([path, `${path}-wal`, ...secrets, ...journalFiles(dataDir)]);
}

function stateOf(files: readonly string[]): string {
  return files
    .map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }))
    .flatMap((stat) => (stat === undefined || stat.size === 0n ? [] : [`${stat.size}@${stat.mtimeNs}`]))
    .join('+');
}

/** Not `lost+found`, where the journal has a disk of its own. */
function journalFiles(dataDir: string): string[] {
  const journal = join(dataDir, JOURNAL_FOLDER);
  if (!existsSync(journal)) return [];
  const entries = readdirSync(journal, { withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ name }) => join(journal, name)).sort();
}

async function copyDatabase(dataDir: string, copyPath: string, log: Log): Promise<void> {
  const path = join(dataDir, DATABASE_FILE);
  const copied = [path, `${path}-wal`, ...journalFiles(dataDir)];
  const isCloned = clone(path, copyPath);
  if (!isCloned)
    await assertRoom(
      path,
      copied.map(sizeOf).reduce((sum, bytes) => sum + bytes, 0),
    );
  await explaining(path, async () => {
    if (!isCloned) await copyShowingProgress(path, copyPath, log);
    if (sizeOf(`${path}-wal`) > 0) copyFileSync(`${path}-wal`, `${copyPath}-wal`);
  });
}

/** In an instant and without space, on file systems such as Btrfs and XFS. */
function clone(path: string, copyPath: string): boolean {
  try {
    copyFileSync(path, copyPath, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    rmSync(copyPath, { force: true });
    return false;
  }
}

async function assertRoom(path: string, bytes: number): Promise<void> {
  const free = await freeBeyondReserve(dirname(path));
  if (free >= bytes) return;
  throw new StartError(
    `The upgrade needs a copy of ${path} first, and the disk lacks ${Math.ceil((bytes - free) / MIB)} MB for it. Free that space and start again; with a backup of your own, run “throughline migrate --without-copy”.`,
  );
}

async function copyShowingProgress(path: string, copyPath: string, log: Log): Promise<void> {
  const bytes = sizeOf(path);
  const progress = setInterval(() => {
    const percent = Math.floor((100 * sizeOf(copyPath)) / Math.max(bytes, 1));
    log.info({ percent }, 'Copying the database before the upgrade');
  }, PROGRESS_EVERY_MS);
  try {
    await copyFile(path, copyPath, constants.COPYFILE_EXCL);
  } finally {
    clearInterval(progress);
  }
}

/** @throws StartError for a disk that takes no copy. */
async function explaining(path: string, copy: () => void | Promise<void>): Promise<void> {
  try {
    await copy();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartError(
      `The copy of ${path} before the upgrade failed: ${message}. ${code === 'ENOSPC' ? 'Free space on its disk' : 'Check its disk'}, then start again.`,
    );
  }
}

/** So that the copy is a data directory of its own, with all that was acknowledged. */
function copyRest(dataDir: string, partial: string): void {
  makeDirectory(join(partial, JOURNAL_FOLDER));
  for (const file of journalFiles(dataDir))
    copyFileSync(file, join(partial, JOURNAL_FOLDER, basename(file)), constants.COPYFILE_FICLONE);
  for (const name of SECRET_FILES)
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(partial, name));
}

/** Table by table, so that a signal can end the process in between. */
async function check(copyPath: string, log: Log): Promise<void> {
  const copy = new DatabaseSync(copyPath);
  let warnedMs = systemClock.nowMs();
  try {
    // A log that was copied with the file.
    copy.exec('pragma wal_checkpoint(truncate)');
    const tables = copy
      .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .all();
    for (const [index, { name }] of tables.entries()) {
      const { integrity_check: result } = copy.prepare(`pragma integrity_check("${name}")`).get() ?? {};
      if (result !== 'ok') throw damaged(copyPath, String(result));
      if (systemClock.nowMs() - warnedMs > PROGRESS_EVERY_MS) {
        warnedMs = systemClock.nowMs();
        log.info({ table: index + 1, of: tables.length }, 'Checking the copy of the database');
      }
      await breathe();
    }
  } finally {
    copy.close();
  }
}

function damaged(copyPath: string, result: string): StartError {
  return new StartError(
    `The database is damaged, and was not upgraded (${result.replaceAll(/\s+/g, ' ')}). Restore a backup (docs/guide/backup.md), or run the version before, of which nothing has changed. Checked was its copy ${basename(copyPath)}.`,
  );
}

/** The note last, and the name after everything is on disk: a folder of that name is a complete copy. */
function publish(partial: string, note: UpgradeNote): void {
  const folder = join(dirname(partial), copyName(note));
  const journal = join(partial, JOURNAL_FOLDER);
  for (const at of [journal, partial])
    for (const name of readdirSync(at)) {
      inheritOwner(join(at, name));
      syncPath(join(at, name));
    }
  writePrivate(noteFile(partial), `${JSON.stringify(note)}\n`);
  renameSync(partial, folder);
  syncPath(dirname(folder));
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
