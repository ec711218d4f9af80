/** A copy of the data directory: database, click journal and secrets, consistent while the service runs. */
import { copyFileSync, existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { journalDirectory, segmentFile } from '../click-log/index.ts';
import { backUpSqlite, countSqliteRows, databaseFile } from '../db/index.ts';
import { StartError } from '../errors.ts';
import { SECRET_FILES } from '../lib/data-dir/index.ts';
import { makeDirectory, syncPath } from '../lib/files.ts';

/** Copies the journal before the database: a click applied in between is then in both copies, and is stored once. */
export function copyData(draft: string, dataDir: string): void {
  makeDirectory(journalDirectory(draft));
  copyJournal(journalDirectory(dataDir), journalDirectory(draft));
  backUpSqlite(databaseFile({ dataDir }), databaseFile({ dataDir: draft }));
  for (const name of SECRET_FILES)
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(draft, name));
  for (const folder of [journalDirectory(draft), draft])
    for (const entry of readdirSync(folder)) syncPath(join(folder, entry));
  syncPath(draft);
}

const COUNTED = ['apps', 'links', 'clicks', 'installs'] as const;
export type RowCounts = Record<(typeof COUNTED)[number], number>;

/** Opens the database of a copy and counts rows. @throws StartError if it holds no app. */
export function countRows(dataDir: string): RowCounts {
  const counts = countSqliteRows(databaseFile({ dataDir }), COUNTED) as RowCounts;
  if (counts.apps === 0) throw new StartError(`The copy in ${dataDir} holds no app. Try again.`);
  return counts;
}

/** @throws StartError for a folder that would be lost with the data. */
export function assertOutside(folder: string, dataDir: string): void {
  const fromData = relative(realPath(dataDir), realPath(folder));
  if (fromData.split(sep, 1)[0] !== '..' && !isAbsolute(fromData))
    throw new StartError(
      `${folder} is in DATA_DIR and would be lost with it. Name a folder outside of ${dataDir}.`,
    );
}

/** Resolves symbolic links in the part of the path that exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), basename(path));
}

/** The main journal first: its clicks may be moved to a lane meanwhile, never back. */
function copyJournal(from: string, to: string): void {
  if (!existsSync(from)) return;
  const isOfLane = (name: string) => (segmentFile(name)?.appId ?? null) !== null;
  copyFiles(listFiles().filter((name) => !isOfLane(name)));
  copyFiles(listFiles().filter(isOfLane));

  // Not `lost+found`, where the journal has a disk of its own.
  function listFiles(): string[] {
    return readdirSync(from, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [entry.name] : [],
    );
  }

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
