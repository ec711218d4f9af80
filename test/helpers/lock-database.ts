/** Another program that holds the write lock of the SQLite file. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { waitFor } from './wait-for.ts';

/** Waits for writes of the service to end. @returns a function that gives the lock back. */
export async function lockDatabase(dataDir: string): Promise<() => void> {
  const other = new DatabaseSync(join(dataDir, 'throughline.db'));
  await waitFor('the write lock of SQLite', () => {
    try {
      other.exec('begin immediate');
      return true;
    } catch (error) {
      if ((error as { errstr?: string }).errstr === 'database is locked') return undefined;
      throw error;
    }
  });
  return () => other.close();
}
