/** The folder of scheduled backups: its names, and which of its entries this service made. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS, isoTime, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import { writePrivate } from '../lib/files.ts';
import type { RowCounts } from './copy-data.ts';

/** In each backup: who made it, and when. */
const NOTE_FILE = 'backup.json';
const NAME = /^throughline-\d{4}-\d{2}-\d{2}T\d{6}Z$/;
const DRAFT_SUFFIX = '.partial';

/** `database` tells the backups of several services in one folder apart. */
interface Note {
  readonly madeBy: 'throughline';
  readonly database: string;
  /** When the copy began, ISO 8601. */
  readonly at: string;
  readonly version: string;
  readonly rows: RowCounts | null;
}

export interface Made {
  readonly path: string;
  readonly atMs: number;
}

/**
 * Makes the folder of a copy, named by the first second from `nowMs` on that nobody has taken: several services may back up
 * into one folder at the same time.
 */
export function makeDraft(folder: string, nowMs: number): { readonly path: string; readonly draft: string } {
  for (let atMs = nowMs; ; atMs += SECOND_MS) {
    const path = join(folder, nameAt(atMs));
    const draft = `${path}${DRAFT_SUFFIX}`;
    if (existsSync(path)) continue;
    try {
      mkdirSync(draft, { mode: 0o700 });
      return { path, draft };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Such as `throughline-2026-11-26T020000Z`. */
function nameAt(nowMs: number): string {
  return `throughline-${isoTime(nowMs).slice(0, 19).replaceAll(':', '')}Z`;
}

export function writeNote(path: string, note: Omit<Note, 'madeBy'>): void {
  writePrivate(join(path, NOTE_FILE), `${JSON.stringify({ madeBy: 'throughline', ...note })}\n`);
}

/** The backups of this database, the newest first. Everything else in the folder is another's. */
export function listMade(folder: string, database: string): Made[] {
  return entriesOf(folder, (name) => NAME.test(name), database).toSorted((a, b) => b.atMs - a.atMs);
}

/** What a crash left. */
export function removeDrafts(folder: string, database: string): void {
  const isDraft = (name: string) =>
    name.endsWith(DRAFT_SUFFIX) && NAME.test(name.slice(0, -DRAFT_SUFFIX.length));
  for (const { path } of entriesOf(folder, isDraft, database)) rmSync(path, { recursive: true, force: true });
}

function entriesOf(folder: string, isNamed: (name: string) => boolean, database: string): Made[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isNamed(entry.name))
    .flatMap(({ name }) => {
      const path = join(folder, name);
      const note = readNote(path);
      return note?.database === database ? [{ path, atMs: Date.parse(note.at) }] : [];
    });
}

function readNote(path: string): Note | null {
  try {
    const note = JSON.parse(readFileSync(join(path, NOTE_FILE), 'utf8')) as Note;
    return note.madeBy === 'throughline' && !Number.isNaN(Date.parse(note.at)) ? note : null;
  } catch {
    return null;
  }
}

/** The last time before now at which a backup was to be made. @param atMinutes of the day, in UTC. */
export function lastDueMs(nowMs: number, atMinutes: number): number {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS + atMinutes * MINUTE_MS;
  return today <= nowMs ? today : today - DAY_MS;
}

/** By age and number: a clock that leaps ahead makes all of them old. @param made the newest first. */
export function tooOld(made: readonly Made[], nowMs: number, keepDays: number): Made[] {
  return made.slice(keepDays).filter(({ atMs }) => nowMs - atMs > keepDays * DAY_MS);
}
