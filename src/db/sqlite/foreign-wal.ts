import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StartError } from '../../errors.ts';
import { isDamage } from '../faults.ts';

/**
 * A crash leaves the write-ahead log beside the file. If a backup then replaces the file alone, SQLite applies the pages of
 * the former database to it, also in a start that fails.
 * @throws StartError before anything is written.
 */
export function assertOwnWal(path: string): void {
  const wal = `${path}-wal`;
  if (!existsSync(path) || !existsSync(wal) || statSync(wal).size === 0) return;
  if (hasWalMode(path) && (isReadable(path) || !isReadable(withoutWal(path)))) return;
  throw new StartError(
    `${wal} is of another database than ${path}, as after a restore that replaced the file alone. Remove ${wal} and ${path}-shm, then start. A restore replaces the whole DATA_DIR (docs/guide/backup.md).`,
  );
}

/** The file format version (sqlite.org/fileformat.html, 1.3): 2 with a log. `vacuum into` writes backups with 1. */
const READ_VERSION = { offset: 19, withWal: 2 };

function hasWalMode(path: string): boolean {
  const file = openSync(path, 'r');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, READ_VERSION.offset);
  closeSync(file);
  return byte[0] === READ_VERSION.withWal;
}

function withoutWal(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return url;
}

/** Whether the root page of each table is one: quick, and enough to notice the pages of another file. */
function isReadable(path: string | URL): boolean {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = db.prepare("select name from sqlite_schema where type = 'table'").all();
    for (const { name } of tables) db.prepare(`select * from "${name}" limit 1`).get();
    return true;
  } catch (error) {
    return !isDamage(error);
  } finally {
    db.close();
  }
}
