import { ThreadCalls, toError } from '../../lib/thread-calls.ts';
import type { FailingStatements } from './failing-statements.ts';
import { startThread } from './start-thread.ts';
import type { AtomicStatements, TransactionResult, WriterOperations } from './writer-thread.ts';

/** The only writing connection, in a thread of its own so that an fsync does not block the event loop. */
export interface SqliteWriter {
  /** Waits for earlier sessions; the caller must release the session. */
  acquire(): Promise<WriterSession>;
  close(): Promise<void>;
}

/** Exclusive use of the writing connection. */
export type WriterSession = {
  readonly [Op in Exclude<keyof WriterOperations, 'close'>]: (
    ...args: Parameters<WriterOperations[Op]>
  ) => Promise<ReturnType<WriterOperations[Op]>>;
} & { release(): void };

/** @param onDeath called when the thread ends unexpectedly: nothing can be stored from then on. */
export async function openWriter(
  path: string,
  failing: FailingStatements,
  onDeath: (cause: unknown) => void,
): Promise<SqliteWriter> {
  const worker = startThread('./writer-thread.ts', path);
  // False while opening, when the caller reports the error, and while closing.
  let isServing = false;
  const calls = new ThreadCalls<WriterOperations>(worker, 'SQLite writer', (cause) => {
    if (isServing) onDeath(cause);
  });
  await calls.send('run', 'select 1', []);
  isServing = true;

  const mutex = new Mutex();
  return {
    async acquire() {
      const release = await mutex.lock();
      return {
        run: (sql, parameters) => failing.track(sql, calls.send('run', sql, parameters)),
        async runGroup(group) {
          const results = await failing.track(firstSqlOf(group[0]), calls.send('runGroup', group));
          trackResults(group, results, failing);
          return results;
        },
        runForRows: (sql, texts, counts) => failing.track(sql, calls.send('runForRows', sql, texts, counts)),
        release,
      };
    },
    async close() {
      const release = await mutex.lock();
      isServing = false;
      await calls.send('close');
      await worker.terminate();
      release();
    },
  };
}

function trackResults(
  group: readonly AtomicStatements[],
  results: readonly TransactionResult[],
  failing: FailingStatements,
): void {
  for (const [index, result] of results.entries()) {
    const sql = firstSqlOf(group[index]);
    if ('error' in result) failing.failed(sql, toError(result.error));
    else failing.succeeded(sql);
  }
}

/** Identifies a transaction. */
function firstSqlOf(transaction: AtomicStatements | undefined): string {
  return transaction?.[0]?.sql ?? '';
}

/** First in, first out. */
class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** @returns a function that unlocks. */
  async lock(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const previous = this.#last;
    this.#last = promise;
    await previous;
    return resolve;
  }
}
