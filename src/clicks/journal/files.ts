/** Files by their descriptors: `FileHandle` costs a promise and an object more for each of the journal's many small writes. */
import { close, constants, fsync, ftruncate, open, read, write } from 'node:fs';
import { promisify } from 'node:util';

export const openFile = promisify(open);
export const closeFile = promisify(close);
export const syncFile = promisify(fsync);
export const truncateFile = promisify(ftruncate);

/** For writing, made where it is not there; when a write to it returns, its bytes are on disk. */
export async function openSynced(path: string): Promise<number> {
  const { O_WRONLY, O_CREAT, O_DSYNC = constants.O_SYNC } = constants;
  return await openFile(path, O_WRONLY | O_CREAT | O_DSYNC, 0o600);
}

/** Writes all of it. @throws the file system's error, with part of it written perhaps. */
export async function writeFully(file: number, bytes: Buffer, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += await new Promise<number>((resolve, reject) => {
      write(file, bytes, done, bytes.length - done, offset + done, (error, count) =>
        error === null ? resolve(count) : reject(error),
      );
    });
}

/** Fills `bytes` as far as the file goes. @returns what of it was filled. */
export async function readFully(file: number, bytes: Buffer, offset: number): Promise<Buffer> {
  let done = 0;
  for (;;) {
    const count = await new Promise<number>((resolve, reject) => {
      read(file, bytes, done, bytes.length - done, offset + done, (error, bytesRead) =>
        error === null ? resolve(bytesRead) : reject(error),
      );
    });
    done += count;
    if (count === 0 || done === bytes.length) return bytes.subarray(0, done);
  }
}
