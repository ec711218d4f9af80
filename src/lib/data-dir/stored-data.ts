import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Whether a SQLite file holds apps. False for a file that cannot be read: opening the database reports the cause. */
export function holdsApps(database: string): boolean {
  if (!existsSync(database)) return false;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(database, { readOnly: true });
    return db.prepare('select 1 from apps limit 1').get() !== undefined;
  } catch {
    return false;
  } finally {
    db?.close();
  }
}
