import { closeSync, constants, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './temporary.ts';

/**
 * Creates a file of zeros with `O_DSYNC`. Callers overwrite it: growing the file would sync its metadata too.
 * @returns the descriptor.
 */
export function openSyncedFile(name: string, bytes: number): number {
  const path = join(temporaryDirectory(name), 'file');
  const file = openSync(path, 'w');
  writeSync(file, Buffer.alloc(bytes));
  fsyncSync(file);
  closeSync(file);
  return openSync(path, constants.O_RDWR | constants.O_DSYNC);
}
