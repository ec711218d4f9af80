import { setTimeout as sleep } from 'node:timers/promises';
import type { GoOn } from '../../loop.ts';
import { BUSY_TIMEOUT_MS } from './statements.ts';
import type { SqliteWriter, WriterTurn } from './writer.ts';

const EMPTY_AGAIN_MS = 200;

/**
 * While somebody outside reads, the log cannot be emptied. Who waited in the writer's thread would have all wait.
 * @param work gives false where it has to be tried again.
 */
export async function withEmptyLog(
  writer: SqliteWriter,
  goOn: GoOn,
  work: (turn: WriterTurn) => Promise<boolean>,
): Promise<void> {
  const isDone = () => inTurn(writer, async (turn) => (await emptyLog(turn)) && (await work(turn)));
  while (!(await isDone())) {
    await goOn();
    await sleep(EMPTY_AGAIN_MS);
  }
}

async function emptyLog(turn: WriterTurn): Promise<boolean> {
  await turn.run('pragma busy_timeout = 0', []);
  const { rows } = await turn
    .run('pragma wal_checkpoint(truncate)', [])
    .finally(() => turn.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`, []));
  return (rows[0] as { busy: number }).busy === 0;
}

export async function inTurn<T>(writer: SqliteWriter, work: (turn: WriterTurn) => Promise<T>): Promise<T> {
  const turn = await writer.takeTurn();
  try {
    return await work(turn);
  } finally {
    turn.release();
  }
}
