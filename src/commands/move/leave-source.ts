import type { Store } from '../../db/index.ts';
import { StartError } from '../../errors.ts';
import { isoTime, SECOND_MS, systemClock } from '../../lib/clock.ts';
import { type Move, writeMove } from './take-target.ts';

/** Processes report each second. */
const RUNNING_FOR_MS = 30 * SECOND_MS;

/** @throws StartError while a process of the service works on the database. */
export async function assertStopped({ db }: Pick<Store, 'db'>): Promise<void> {
  const running = await db
    .selectFrom('journals')
    .select('seen_at')
    .where('seen_at', '>', isoTime(systemClock.nowMs() - RUNNING_FOR_MS))
    .executeTakeFirst();
  if (running !== undefined)
    throw new StartError(
      `A process of the service works on the database of DATABASE_URL; it reported at ${running.seen_at}. Stop all processes, so that nothing is recorded during the move, and run the command again. A killed one counts as running for ${RUNNING_FOR_MS / SECOND_MS} seconds.`,
    );
}

/** From now on no process of the service starts on the database. */
export async function beginLeaving(
  { db }: Pick<Store, 'db'>,
  { moveId, now }: { moveId: string; now: string },
): Promise<void> {
  await writeMove(db, { move_id: moveId, began_at: now, ended_at: null, target: 'sqlite' });
}

/** The data is in the SQLite file. */
export async function endLeaving({ db }: Pick<Store, 'db'>, now: string): Promise<void> {
  await db.updateTable('moves').set({ ended_at: now }).where('ended_at', 'is', null).execute();
}

/** The data stays in the database. @param earlier the move that brought it there; null if it began there. */
export async function stay({ db }: Pick<Store, 'db'>, earlier: Move | null): Promise<void> {
  if (earlier === null) await db.deleteFrom('moves').execute();
  else await writeMove(db, earlier);
}
