import { setTimeout as sleep } from 'node:timers/promises';
import type { Heartbeat } from '../../lib/loop.ts';
import { BUSY_TIMEOUT_MS } from './statements.ts';
import type { SqliteWriter, WriterSession } from './writer.ts';

const RETRY_MS = 200;

export async function withWriter<T>(
  writer: SqliteWriter,
  work: (session: WriterSession) => Promise<T>,
): Promise<T> {
  const session = await writer.acquire();
  try {
    return await work(session);
  } finally {
    session.release();
  }
}

/**
 * Moves the write-ahead log into the file and truncates it. Another program's read transaction prevents that; between
 * attempts other sessions may write.
 */
export async function emptyWal(writer: SqliteWriter, goOn: Heartbeat): Promise<void> {
  while (!(await withWriter(writer, truncateWal))) {
    await goOn();
    await sleep(RETRY_MS);
  }
}

/** Without the busy timeout, which would block the writer's thread. */
async function truncateWal(session: WriterSession): Promise<boolean> {
  await session.run('pragma busy_timeout = 0', []);
  const { rows } = await session
    .run('pragma wal_checkpoint(truncate)', [])
    .finally(() => session.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`, []));
  return (rows[0] as { busy: number }).busy === 0;
}
