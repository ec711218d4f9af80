/** Files by their descriptors: `FileHandle` costs a promise and an object more for each of the journal's many small writes. */
import { close, fsync, ftruncate, open, read, write } from 'node:fs';
import { promisify } from 'node:util';

export const openFile = promisify(open);
export const closeFile = promisify(close);
export const syncFile = promisify(fsync);
export const truncateFile = promisify(ftruncate);

export async function writeFully(file: number, bytes: Buffer, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += await new Promise<number>((resolve, reject) => {
      write(file, bytes, done, bytes.length - done, offset + done, (error, count) =>
        error === null ? resolve(count) : reject(error),
      );
    });
}

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
