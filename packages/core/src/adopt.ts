/** Adds what was stored to what happened before the storage answered. */
import { withUser } from './event.ts';
import { chunkKey, type EventQueue } from './event-queue.ts';
import type { Stored } from './load.ts';
import type { RunSession } from './open-session.ts';
import { afterReset, merge, newState } from './state.ts';

export function adopt(
  { state: read, isDamaged, chunks, leftKeys }: Stored,
  {
    session,
    noteLoaded,
    queue,
    isReset,
  }: Pick<RunSession, 'session' | 'noteLoaded'> & { readonly queue: EventQueue; readonly isReset: boolean },
): void {
  const { state, storage } = session;
  if (isDamaged) session.log('error', 'The stored state is damaged; this is a new install');
  const before = read ?? newState(state.installId);
  before.endChunk = before.firstChunk + chunks.length;
  const stored = isReset ? afterReset(before, state.installId) : before;
  storage.forget();
  Object.assign(state, merge(stored, { ...state }, session.now()));
  queue.prepend(isReset ? [] : chunks, (event) => withUser(event, stored.user));
  noteLoaded();
  session.save();
  for (const key of leftKeys) storage.set(key, null);
  if (isReset) for (const [index] of chunks.entries()) storage.set(chunkKey(before.firstChunk + index), null);
}
