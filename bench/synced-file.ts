import { closeSync, constants, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './temporary.ts';

/**
 * A new file, full of zeros; what is written to it is on disk when the write returns. To be written over and over, and
 * never made longer: that would be more than one write.
 * @returns its descriptor.
 */
export function openSyncedFile(name: string, bytes: number): number {
  const path = join(temporaryDirectory(name), 'file');
  const file = openSync(path, 'w');
  writeSync(file, Buffer.alloc(bytes));
  fsyncSync(file);
  closeSync(file);
  return openSync(path, constants.O_RDWR | constants.O_DSYNC);
}
