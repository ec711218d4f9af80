import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../errors.ts';
import { BUSY_TIMEOUT_MS } from './statements.ts';

/**
 * Writes the database as it is at one moment into a new file, checked, while others read and write. `vacuum
 * into` reads one snapshot: SQLite's other way, its backup interface, starts over with each write of another process.
 * The copy has rows only, and nothing of what was erased.
 * @throws StartError where the copy is not whole.
 */
export function backUpSqlite(path: string, copyPath: string): void {
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    // The copy of a file of an earlier version can shrink. Where it is set already, a connection that reads may not.
    if (db.prepare('pragma auto_vacuum').get()?.auto_vacuum === 0)
      db.exec('pragma auto_vacuum = incremental');
    db.prepare('vacuum into ?').run(copyPath);
  } finally {
    db.close();
  }
  const copy = new DatabaseSync(copyPath, { readOnly: true });
  const { integrity_check: verdict } = copy.prepare('pragma integrity_check').get() ?? {};
  copy.close();
  if (verdict !== 'ok') throw new StartError(`The copy of ${path} is not whole: ${verdict}. Try again.`);
}
