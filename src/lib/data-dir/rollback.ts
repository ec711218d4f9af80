import { existsSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { isoTime, systemClock } from '../clock.ts';
import { makeDirectory, syncPath, writePrivate } from '../files.ts';
import { VERSION } from '../version.ts';
import { removeFailedUpgrade, writeFailedUpgrade } from './failed-upgrade.ts';
import { DATABASE_FILE, PREVIOUS_SECRET_FILE, SECRET_FILE } from './secrets.ts';
import {
  copyName,
  nextNumber,
  noteFile,
  type UpgradeCopy,
  type UpgradeNote,
  upgradesFolder,
} from './upgrades.ts';

/** The journal's folder in a data directory. */
export const JOURNAL_FOLDER = 'journal';

const PLAN = 'rollback.json';
const SWAPPED = [DATABASE_FILE, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`, JOURNAL_FOLDER];

const ROOT_SECRETS = [SECRET_FILE, PREVIOUS_SECRET_FILE];

/** Written before the first step, so that the next start can complete what a killed process began. */
interface Plan {
  /** Names in `upgrades`: the next start may find the directory at another path, as in a container. */
  readonly copy: string;
  /** That gets the present data. */
  readonly aside: string;
  /** Names to move there, and names that the copy gives back. */
  readonly leaving: readonly string[];
  readonly returning: readonly string[];
  /** What a start says that would upgrade the data again; null after a way forward. */
  readonly refusal: string | null;
}

type Place = Pick<Config, 'dataDir'>;

/**
 * Puts a copy in the place of the present data, which is kept beside it. Renames only, so that it needs no space.
 * @param writer the version of the present data.
 * @returns the folder with the former data.
 * @throws StartError if something is on another file system; everything is then as it was.
 */
export function swapData(place: Place, copy: UpgradeCopy, writer: string | null): string {
  const dataDir = resolve(place.dataDir);
  const note: UpgradeNote = {
    kind: 'newer',
    number: nextNumber(place),
    at: isoTime(systemClock.nowMs()),
    fromVersion: writer,
    toVersion: VERSION,
  };
  const aside = join(upgradesFolder(place), copyName(note));
  makeDirectory(aside);
  writePrivate(noteFile(aside), `${JSON.stringify(note)}\n`);
  const names = [...SWAPPED, ...(hasOtherSecrets(dataDir, copy.path) ? ROOT_SECRETS : [])];
  const isIn = (folder: string) => (name: string) => existsSync(join(folder, name));
  const plan: Plan = {
    copy: basename(copy.path),
    aside: basename(aside),
    leaving: names.filter(isIn(dataDir)),
    returning: names.filter(isIn(copy.path)),
    refusal: copy.kind === 'before' ? refusalOf(copy) : null,
  };
  writePrivate(join(dataDir, PLAN), `${JSON.stringify(plan)}\n`);
  try {
    move(plan, dataDir);
  } catch (error) {
    rmSync(noteFile(aside));
    // Fails with data in it: the plan then stays, too.
    rmdirSync(aside);
    rmSync(join(dataDir, PLAN));
    throw new StartError(
      `The data cannot be put aside: ${(error as Error).message}. Nothing was changed. The files of DATA_DIR, its journal and its upgrades have to be on one file system; otherwise restore ${copy.path} as a backup (docs/guide/backup.md).`,
    );
  }
  completeRollback(place);
  return aside;
}

/**
 * Completes a rollback that was interrupted; does nothing without one. The caller holds the data directory.
 * @returns the name of the copy that is in the place of the data then.
 */
export function completeRollback(place: Place): string | null {
  const dataDir = resolve(place.dataDir);
  const file = join(dataDir, PLAN);
  if (!existsSync(file)) return null;
  const plan = JSON.parse(readFileSync(file, 'utf8')) as Plan;
  move(plan, dataDir);
  removeFailedUpgrade(place);
  // A supervisor, or a caller of the open port, may start the newer version before the older one is installed.
  if (plan.refusal !== null) writeFailedUpgrade(place, { isUndone: true, message: plan.refusal });
  rmSync(folderOf(plan.copy, dataDir), { recursive: true, force: true });
  rmSync(file);
  syncPath(dataDir);
  return basename(plan.copy);
}

/** Below `upgrades`, whatever the plan says: root may complete what the user of the service wrote. */
function folderOf(name: string, dataDir: string): string {
  return join(upgradesFolder({ dataDir }), basename(name));
}

function refusalOf({ fromVersion }: UpgradeCopy): string {
  const version = fromVersion === null ? 'the version before' : `version ${fromVersion}`;
  return `A rollback has brought back the data of ${version}, which this version would upgrade. Start ${version}, or run “throughline migrate” to upgrade again (docs/guide/upgrading.md).`;
}

/** Goes on where it was interrupted. A step that fails undoes those before. */
function move({ leaving, returning, ...plan }: Plan, dataDir: string): void {
  const [copy, aside] = [folderOf(plan.copy, dataDir), folderOf(plan.aside, dataDir)];
  const moved: (readonly [from: string, to: string])[] = [];
  const rename = (from: string, to: string) => {
    renameSync(from, to);
    moved.push([from, to]);
  };
  try {
    // All of the former data leaves first: what is in `aside` tells from then on that it has.
    for (const name of leaving)
      if (!existsSync(join(aside, name))) rename(join(dataDir, name), join(aside, name));
    syncPath(aside);
    for (const name of returning)
      if (existsSync(join(copy, name))) rename(join(copy, name), join(dataDir, name));
    syncPath(dataDir);
  } catch (error) {
    for (const [from, to] of moved.reverse()) renameSync(to, from);
    throw error;
  }
}

/** A rotation after the copy, or in the start that made it: each database knows the secrets beside it, and no others. */
function hasOtherSecrets(dataDir: string, copy: string): boolean {
  const textOf = (folder: string, name: string) => {
    const file = join(folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  };
  if (textOf(copy, SECRET_FILE) === null) return false;
  return ROOT_SECRETS.some((name) => textOf(dataDir, name) !== textOf(copy, name));
}
