/**
 * The folder `upgrades` of the data directory: a copy of the data from before each upgrade, and after a rollback the data of
 * the newer version. Each is a folder like the data directory itself, with `upgrade.json`.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { DAY_MS } from '../clock.ts';

/** Beyond these, the oldest go. Age ends them too: what is erased from the data stays in a copy. */
const COPIES_KEPT = 2;
export const COPIES_KEPT_DAYS = 14;

const FOLDER = 'upgrades';
const NOTE = 'upgrade.json';
const PARTIAL = '.partial';

/** What `upgrade.json` says. */
export interface UpgradeNote {
  /** `before`: data from before an upgrade. `newer`: data that a rollback has set aside. */
  readonly kind: 'before' | 'newer';
  /** Counts the copies: their times are those of a clock that may leap. */
  readonly number?: number;
  /** ISO 8601. */
  readonly at: string;
  /** The version that wrote the data; null before versions were stored. */
  readonly fromVersion: string | null;
  /** The version that was to migrate it, or of the command that set it aside. */
  readonly toVersion: string;
  /** Identifies the data that was copied. */
  readonly source?: string;
}

export interface UpgradeCopy extends UpgradeNote {
  readonly name: string;
  readonly path: string;
}

type Place = Pick<Config, 'dataDir'>;

export function upgradesFolder({ dataDir }: Place): string {
  return join(resolve(dataDir), FOLDER);
}

/** A folder for a copy in the making, which `name` without its ending is to become. */
export function partialFolder(place: Place, name: string): string {
  return join(upgradesFolder(place), `${name}${PARTIAL}`);
}

export function noteFile(folder: string): string {
  return join(folder, NOTE);
}

/** Of the next copy. */
export function nextNumber(place: Place): number {
  return (listCopies(place)[0]?.number ?? 0) + 1;
}

/** Can be typed. */
export function copyName({ kind, at, toVersion }: UpgradeNote): string {
  const time = at.replace('Z', '').replaceAll(/[:.]/g, '-');
  return kind === 'before' ? `${time}-before-${toVersion}` : `${time}-set-aside`;
}

/** The newest first. Folders without a readable note are no copies. */
export function listCopies(place: Place): UpgradeCopy[] {
  const folder = upgradesFolder(place);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .reverse()
    .flatMap((name) => {
      const note = name.endsWith(PARTIAL) ? null : readNote(join(folder, name));
      return note === null ? [] : [{ ...note, name, path: join(folder, name) }];
    })
    .sort((one, other) => (other.number ?? 0) - (one.number ?? 0));
}

function readNote(folder: string): UpgradeNote | null {
  try {
    return JSON.parse(readFileSync(noteFile(folder), 'utf8')) as UpgradeNote;
  } catch {
    return null;
  }
}

/** Removes what a killed process left. The caller holds the data directory. */
export function removePartialCopies(place: Place): void {
  const folder = upgradesFolder(place);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.endsWith(PARTIAL)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Removes copies beyond their number and age. @returns their names. */
export function removeOldCopies(place: Place, nowMs: number): string[] {
  const copies = listCopies(place);
  const old = (['before', 'newer'] as const).flatMap((kind) =>
    copies
      .filter((copy) => copy.kind === kind)
      .filter(({ at }, index) => index >= COPIES_KEPT || Date.parse(at) < nowMs - COPIES_KEPT_DAYS * DAY_MS),
  );
  for (const { path } of old) rmSync(path, { recursive: true, force: true });
  return old.map(({ name }) => name);
}
