import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { StartError } from '../errors.ts';
import { writePrivate } from '../write-private.ts';

/** That the data of the SQLite file lives in another database now. */
interface MoveNote {
  readonly moveId: string;
  /** ISO 8601. */
  readonly movedAt: string;
}

/** Null where the data was not moved away. */
export function findMoveNote(config: Pick<Config, 'dataDir'>): MoveNote | null {
  const file = moveNoteFile(config);
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as MoveNote;
  } catch (error) {
    throw new StartError(
      `${file}, which says that the data was moved, cannot be read: ${(error as Error).message}. Give it to the service’s user.`,
    );
  }
}

/** @throws StartError for a SQLite file whose data was moved away: what it holds is no longer so. */
export function refuseMoved(config: Pick<Config, 'dataDir'>): void {
  const note = findMoveNote(config);
  if (note !== null)
    throw new StartError(
      `The data in ${config.dataDir} was moved to PostgreSQL at ${note.movedAt}: set DATABASE_URL. To go back to the file as it was then, delete ${moveNoteFile(config)}.`,
    );
}

/** From here on nobody uses the SQLite file, which stays as it is, unless the note is deleted. */
export function leaveMoveNote(config: Pick<Config, 'dataDir'>, note: MoveNote): void {
  const file = moveNoteFile(config);
  try {
    writePrivate(file, `${JSON.stringify(note)}\n`);
  } catch (error) {
    throw new StartError(
      `${file}, which says that the data was moved, cannot be written: ${(error as Error).message}. Mend that, and run “throughline db move” again, which starts over.`,
    );
  }
}

/** Where the note is, if there is one. */
export function moveNoteFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(resolve(dataDir), 'moved.json');
}
