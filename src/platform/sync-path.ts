import { closeSync, fsyncSync, openSync } from 'node:fs';

/** When it returns, a file's bytes, or the names in a folder, are on disk. A file's new name is one of its folder. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
