/** Erases what is stored, and leaves a state that the next run of this process begins with. */
import { chunkKey } from './event-queue.ts';
import type { Reset } from './open-session.ts';
import type { Session } from './session.ts';
import { afterReset, newState, STATE_KEY } from './state.ts';

/** Replaces the stored state in one write; the rest follows. */
export function eraseStored({ state, storage, newId, isLoaded }: Session): Reset {
  const fresh = afterReset(state, newId());
  if (!isLoaded()) return { state: fresh, storage: null };
  storage.forget();
  storage.set(STATE_KEY, () => JSON.stringify(fresh));
  for (let chunk = state.firstChunk; chunk < state.endChunk; chunk++) storage.set(chunkKey(chunk), null);
  return { state: fresh, storage };
}

/** In the run after it: nothing stays in the storage if there is nothing to keep. */
export async function removeEmpty({ state, storage }: Session): Promise<void> {
  await storage.settled();
  const { consent, launch, firstChunk, installId } = state;
  const empty = { ...newState(installId), firstChunk, endChunk: firstChunk };
  if (consent !== null || launch !== null || JSON.stringify(state) !== JSON.stringify(empty)) return;
  storage.set(STATE_KEY, null);
  await storage.settled();
}
