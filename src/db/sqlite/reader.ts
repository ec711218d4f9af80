import { ThreadCalls } from '../../lib/thread-calls.ts';
import type { FailingStatements } from './failing-statements.ts';
import type { ReaderOperations, ReadRows } from './reader-thread.ts';
import { startThread } from './start-thread.ts';

/**
 * A read-only connection, in a thread of its own so that long reads do not block the event loop. Reads wait for each
 * other. Each sees every transaction that was committed before it was called, since SQLite takes its snapshot when the
 * statement begins.
 */
export interface SqliteReader {
  all(sql: string, parameters: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Reads called before are finished first. */
  close(): Promise<void>;
}

/**
 * @param onDeath called when the thread ends unexpectedly: nothing can be read from then on.
 * @throws if the file does not exist: the writer creates it.
 */
export async function openReader(
  path: string,
  failing: FailingStatements,
  onDeath: (cause: unknown) => void,
): Promise<SqliteReader> {
  const worker = startThread('./reader-thread.ts', path);
  // False while opening, when the caller reports the error, and while closing.
  let isServing = false;
  const calls = new ThreadCalls<ReaderOperations>(worker, 'SQLite reader', (cause) => {
    if (isServing) onDeath(cause);
  });
  await calls.send('all', 'select 1', []);
  isServing = true;
  return {
    all: async (sql, parameters) => toObjects(await failing.track(sql, calls.send('all', sql, parameters))),
    async close() {
      isServing = false;
      await calls.send('close');
      await worker.terminate();
    },
  };
}

function toObjects({ columns, rows }: ReadRows): Record<string, unknown>[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    // Not `Object.fromEntries`, which takes three times as long.
    for (const [i, column] of columns.entries()) row[column] = values[i];
    return row;
  });
}
