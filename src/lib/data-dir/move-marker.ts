import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { writePrivate } from '../files.ts';

/** The file `moved.json`: the data of the SQLite file is now in PostgreSQL. */
interface MoveMarker {
  readonly moveId: string;
  /** ISO 8601. */
  readonly movedAt: string;
}

/** Null if the data was not moved. */
export function readMoveMarker(config: Pick<Config, 'dataDir'>): MoveMarker | null {
  const file = moveMarkerFile(config);
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as MoveMarker;
  } catch (error) {
    throw new StartError(
      `Failed to read ${file}, which marks the data as moved: ${(error as Error).message}. Make it readable for the service’s user.`,
    );
  }
}

/** @throws StartError if the data was moved: the SQLite file is out of date. */
export function assertNotMoved(config: Pick<Config, 'dataDir'>): void {
  const marker = readMoveMarker(config);
  if (marker !== null)
    throw new StartError(
      `The data in ${config.dataDir} was moved to PostgreSQL at ${marker.movedAt}: set DATABASE_URL. To go back to the file as it was then, delete ${moveMarkerFile(config)}.`,
    );
}

/** From now on `assertNotMoved` throws, until an operator deletes the marker. */
export function writeMoveMarker(config: Pick<Config, 'dataDir'>, marker: MoveMarker): void {
  const file = moveMarkerFile(config);
  try {
    writePrivate(file, `${JSON.stringify(marker)}\n`);
  } catch (error) {
    throw new StartError(
      `Failed to write ${file}, which marks the data as moved: ${(error as Error).message}. Fix that and run “throughline db move” again, which starts over.`,
    );
  }
}

export function moveMarkerFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(resolve(dataDir), 'moved.json');
}
