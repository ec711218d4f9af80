import { toError } from '../../lib/thread-calls.ts';
import type { SqliteWriter } from './writer.ts';
import type { AtomicStatements, TransactionResult } from './writer-thread.ts';

/** Some 64 single records. A full group blocks the writer for a few milliseconds, and a batch is nearly alone in one. */
const MAX_ROWS = 400;

interface PendingCommit {
  readonly statements: AtomicStatements;
  resolve(failed: number | null): void;
  reject(error: unknown): void;
}

/**
 * Commits transactions that arrive during another commit as a group, with one sync; each is still all or nothing. A group
 * queues for the writer with its first transaction, so that a session acquired later sees all of them.
 * @returns see `Store.commit`.
 */
export function groupCommits(writer: SqliteWriter): (statements: AtomicStatements) => Promise<number | null> {
  /** The group that waits for the writer and accepts transactions, and the number of its rows. */
  let openGroup: PendingCommit[] | null = null;
  let openRows = 0;

  async function commitGroup(group: readonly PendingCommit[]): Promise<void> {
    const session = await writer.acquire();
    if (openGroup === group) openGroup = null;
    try {
      settle(group, await session.runGroup(group.map(({ statements }) => statements)));
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      session.release();
    }
  }

  function startGroup(): PendingCommit[] {
    const group: PendingCommit[] = [];
    openGroup = group;
    openRows = 0;
    void commitGroup(group);
    return group;
  }

  return (statements) => {
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    const group = openGroup === null || openRows >= MAX_ROWS ? startGroup() : openGroup;
    group.push({ statements, resolve, reject });
    for (const { rows = 1 } of statements) openRows += rows;
    return promise;
  };
}

function settle(group: readonly PendingCommit[], results: readonly TransactionResult[]): void {
  for (const [i, { resolve, reject }] of group.entries()) {
    const result = results[i];
    if (result === undefined) reject(new Error('a transaction has no result'));
    else if ('error' in result) reject(toError(result.error));
    else resolve(result.failed);
  }
}
