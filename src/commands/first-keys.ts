import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^first-keys(?:-(\d+))?\.txt$/;

/** A path that does not exist: the keys of an earlier database may be stored nowhere else. */
export function unusedKeysFile(dataDir: string): string {
  let path = join(dataDir, 'first-keys.txt');
  for (let count = 2; existsSync(path); count++) path = join(dataDir, `first-keys-${count}.txt`);
  return path;
}

/** The newest file of first keys that were not shown yet, or null. */
export function newestKeysFile(dataDir: string): string | null {
  if (!existsSync(dataDir)) return null;
  const files = readdirSync(dataDir).flatMap((name) => {
    const match = NAME.exec(name);
    return match === null ? [] : [{ name, count: Number(match[1] ?? 1) }];
  });
  const newest = files.toSorted((a, b) => b.count - a.count)[0];
  return newest === undefined ? null : join(dataDir, newest.name);
}
