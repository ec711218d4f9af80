import { type SqliteWriter, toError } from './writer.ts';
import type { Outcome, Transaction } from './writer-thread.ts';

/** So many take the writer a few milliseconds, in which others wait for their turn. */
const MAX_TOGETHER = 64;

interface Waiting {
  readonly statements: Transaction;
  resolve(failed: number | null): void;
  reject(error: unknown): void;
}

/**
 * Transactions that arrive while others are being committed are committed together, so that the disk is waited for once;
 * each is still all or nothing by itself, and sees what those before it did.
 * @returns what commits one: see `Store.commit`.
 */
export function groupCommits(writer: SqliteWriter): (statements: Transaction) => Promise<number | null> {
  const waiting: Waiting[] = [];
  let isUnderWay = false;

  async function commitAll(): Promise<void> {
    isUnderWay = true;
    while (waiting.length > 0) {
      const turn = await writer.takeTurn();
      const group = waiting.splice(0, MAX_TOGETHER);
      try {
        settle(group, await turn.runGroup(group.map(({ statements }) => statements)));
      } catch (error) {
        for (const { reject } of group) reject(error);
      } finally {
        turn.release();
      }
    }
    isUnderWay = false;
  }

  return (statements) => {
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    waiting.push({ statements, resolve, reject });
    if (!isUnderWay) void commitAll();
    return promise;
  };
}

function settle(group: readonly Waiting[], outcomes: readonly Outcome[]): void {
  for (const [i, { resolve, reject }] of group.entries()) {
    const outcome = outcomes[i];
    if (outcome === undefined) reject(new Error('a transaction has no outcome'));
    else if ('error' in outcome) reject(toError(outcome.error));
    else resolve(outcome.failed);
  }
}
