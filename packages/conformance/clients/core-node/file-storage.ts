import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyValueStorage } from '../../../core/src/index.ts';

/** One file for each key. A write is complete when `setItem` returns, and a kill leaves the old value or the new one. */
export function fileStorage(directory: string): KeyValueStorage {
  mkdirSync(directory, { recursive: true });
  const fileOf = (key: string) => join(directory, encodeURIComponent(key));
  return {
    async getItem(key) {
      try {
        return readFileSync(fileOf(key), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async setItem(key, value) {
      writeFileSync(`${fileOf(key)}.new`, value);
      renameSync(`${fileOf(key)}.new`, fileOf(key));
    },
    async removeItem(key) {
      rmSync(fileOf(key), { force: true });
    },
  };
}
