/** Files by their descriptors: `FileHandle` costs a promise and an object more for each of the journal's many small writes. */
import { close, constants, fsync, ftruncate, open, read, write } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const openFile = promisify(open);
export const closeFile = promisify(close);
const syncFile = promisify(fsync);
export const truncateFile = promisify(ftruncate);

/**
 * Opens a file for writing, made where it is not there, with its name on disk too. When a write to it returns, its bytes are
 * on disk.
 */
export async function makeSynced(path: string): Promise<number> {
  const { O_WRONLY, O_CREAT, O_DSYNC = constants.O_SYNC } = constants;
  const file = await openFile(path, O_WRONLY | O_CREAT | O_DSYNC, 0o600);
  await syncDirectory(dirname(path)).catch(async (error: unknown) => {
    await closeFile(file);
    throw error;
  });
  return file;
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await openFile(path, 'r');
  await syncFile(directory).finally(() => closeFile(directory));
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

/** @returns false where there is no such file. @throws the file system's other errors. */
export async function renameIfThere(from: string, to: string): Promise<boolean> {
  return await rename(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
