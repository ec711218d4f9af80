/** Reads files of any version, without this version's schema. */
import { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS } from './statements.ts';

/** How many rows of a table have a time of `since` or later; null for a file without the table or the column. */
export function countSince(
  path: string,
  { table, column, since }: { table: string; column: string; since: string },
): number | null {
  return readFile(path, (db) => {
    try {
      const row = db.prepare(`select count(*) as n from "${table}" where "${column}" >= ?`).get(since);
      return Number(row?.n);
    } catch {
      return null;
    }
  });
}

/** How many of these ids the table lacks. */
export function countMissing(path: string, table: string, ids: Iterable<string>): number {
  return readFile(path, (db) => {
    const find = db.prepare(`select 1 from "${table}" where app_id = ? and id = ?`);
    let missing = 0;
    for (const id of new Set(ids)) if (find.get(...id.split('/')) === undefined) missing += 1;
    return missing;
  });
}

/** Whether the file is an undamaged database; quick, since the whole check takes as long as a copy. */
export function isIntact(path: string): boolean {
  try {
    return readFile(path, (db) => db.prepare('pragma quick_check').get()?.quick_check === 'ok');
  } catch {
    return false;
  }
}

function readFile<T>(path: string, read: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    return read(db);
  } finally {
    db.close();
  }
}
