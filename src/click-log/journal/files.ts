/** Raw file descriptors: unlike a `FileHandle`, they can also be opened and closed synchronously. */
import { close, constants, fsync, ftruncate, open, read, write } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { monotonicMs } from '../../lib/clock.ts';

const openFile = promisify(open);
export const closeFile = promisify(close);
const syncFile = promisify(fsync);
const readFile = promisify(read);
const writeFile = promisify(write);
export const truncateFile = promisify(ftruncate);

/** Opens or creates a file for synchronous writes (`O_DSYNC`) and syncs its directory entry. */
export async function openSynced(path: string): Promise<number> {
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

/** @returns how many milliseconds it took. @throws a file system error, possibly after a partial write. */
export async function writeFully(file: number, bytes: Buffer, offset: number): Promise<number> {
  const startedMs = monotonicMs();
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await writeFile(file, bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
  return monotonicMs() - startedMs;
}

/** Fills `bytes` up to the end of the file. @returns the filled part. */
export async function readFully(file: number, bytes: Buffer, offset: number): Promise<Buffer> {
  let done = 0;
  for (;;) {
    const { bytesRead } = await readFile(file, bytes, done, bytes.length - done, offset + done);
    done += bytesRead;
    if (bytesRead === 0 || done === bytes.length) return bytes.subarray(0, done);
  }
}

/** @returns false if `from` does not exist. */
export async function renameIfPresent(from: string, to: string): Promise<boolean> {
  return await rename(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
