import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncPath } from './sync-path.ts';

/** Writes a file that only its owner can read, whole or not at all, and on disk when this returns. */
export function writePrivate(path: string, text: string): void {
  const draft = `${path}.new`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
  syncPath(dirname(path));
}
