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
 * each is still all or nothing by itself, and sees what those before it did. A group has its turn from its first one on:
 * whoever takes a turn after a transaction has arrived has it when that is committed.
 * @returns what commits one: see `Store.commit`.
 */
export function groupCommits(writer: SqliteWriter): (statements: Transaction) => Promise<number | null> {
  /** The group that waits for its turn, and takes whoever arrives meanwhile. */
  let gathering: Waiting[] | null = null;

  async function commitGroup(group: readonly Waiting[]): Promise<void> {
    const turn = await writer.takeTurn();
    if (gathering === group) gathering = null;
    try {
      settle(group, await turn.runGroup(group.map(({ statements }) => statements)));
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      turn.release();
    }
  }

  function openGroup(): Waiting[] {
    const group: Waiting[] = [];
    gathering = group;
    void commitGroup(group);
    return group;
  }

  return (statements) => {
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    const group = gathering === null || gathering.length === MAX_TOGETHER ? openGroup() : gathering;
    group.push({ statements, resolve, reject });
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
