import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One file for each key. A write is complete when `setItem` returns, and a kill leaves the old value or the new one. */
export function fileStorage(directory: string) {
  mkdirSync(directory, { recursive: true });
  const fileOf = (key: string) => join(directory, encodeURIComponent(key));
  const atOnce = {
    getItem(key: string): string | null {
      try {
        return readFileSync(fileOf(key), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    setItem(key: string, value: string): void {
      writeFileSync(`${fileOf(key)}.new`, value);
      renameSync(`${fileOf(key)}.new`, fileOf(key));
    },
    removeItem(key: string): void {
      rmSync(fileOf(key), { force: true });
    },
  };
  return {
    atOnce,
    getItem: async (key: string) => atOnce.getItem(key),
    setItem: async (key: string, value: string) => atOnce.setItem(key, value),
    removeItem: async (key: string) => atOnce.removeItem(key),
  };
}
