import {
  chmodSync,
  closeSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Fsyncs a file, or a directory: its entries, such as new and renamed files. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Writes a file atomically and durably, readable by its owner only. */
export function writePrivate(path: string, text: string): void {
  const draft = `${path}.new`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  // The mode of an existing draft does not change by itself.
  chmodSync(draft, 0o600);
  inheritOwner(draft);
  renameSync(draft, path);
  syncPath(dirname(path));
}

/**
 * Creates a directory and its parents, private to the owner. Not Node's `recursive`, which loops for ever in `/proc`.
 * @param path absolute.
 */
export function makeDirectory(path: string): void {
  if (isDirectory(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it.
    if (!isDirectory(path)) throw error;
    return;
  }
  inheritOwner(path);
}

/** What root makes in a folder of the service's user, as by a command line after `sudo`, would keep the service out. */
export function inheritOwner(path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  try {
    if (uid !== 0) lchownSync(path, uid, gid);
  } catch {
    // In a container, root may not do that, nor is there another user.
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Why a folder takes no file. A unit of systemd sees each folder as read-only that it does not name. */
export function writeFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'EROFS'
    ? `${message}. Mount it for writing, in a container as a volume; a unit of systemd with ProtectSystem= needs the folder in ReadWritePaths= (docs/guide/debian.md)`
    : message;
}
