import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../errors.ts';
import { BUSY_TIMEOUT_MS } from './statements.ts';

/**
 * Writes a verified snapshot of the database to a new file, without remains of erased rows, while others read and write.
 * Uses `vacuum into`, since SQLite's backup interface restarts with each write of another process.
 * @throws StartError if the integrity check of the copy fails.
 */
export function backUpSqlite(path: string, copyPath: string): void {
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    db.prepare('vacuum into ?').run(copyPath);
  } finally {
    db.close();
  }
  const copy = new DatabaseSync(copyPath, { readOnly: true });
  const { integrity_check: result } = copy.prepare('pragma integrity_check').get() ?? {};
  copy.close();
  if (result !== 'ok')
    throw new StartError(`The integrity check of the copy of ${path} failed: ${result}. Try again.`);
}

/** Opens a database and counts the rows of these tables. */
export function countSqliteRows(path: string, tables: readonly string[]): Record<string, number> {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const count = (table: string) =>
      Number(db.prepare(`select count(*) as rows from ${table}`).get()?.rows ?? 0);
    return Object.fromEntries(tables.map((table) => [table, count(table)]));
  } finally {
    db.close();
  }
}
