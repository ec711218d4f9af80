/** Reads the stored state. A storage that fails or hangs is read again, while the client works in memory. */
import { chunkKey } from './event-queue.ts';
import type { OrderedStorage } from './ordered-storage.ts';
import { MAX_CHUNKS, readState, STATE_KEY, type State } from './state.ts';
import { inBackground } from './timing.ts';
import type { KeyValueStorage } from './types.ts';

export interface Stored {
  /** Null at a first start. */
  readonly state: State | null;
  readonly isDamaged: boolean;
  readonly chunks: readonly (string | null)[];
  /** Keys of events that were sent, which a kill left behind. */
  readonly leftKeys: readonly string[];
}

const MAX_WAIT_MS = 60_000;
const FIRST_TIMEOUT_MS = 1_000;
const FIRST_RETRY_MS = 50;

/** @param mayRead throws if the storage belongs to another client. */
export async function load(
  storage: OrderedStorage,
  {
    mayRead,
    isOpen,
    onFault,
  }: { mayRead: () => void; isOpen: () => boolean; onFault: (cause: unknown) => void },
): Promise<Stored | null> {
  for (let attempt = 0; isOpen(); attempt++) {
    try {
      mayRead();
      return await read(storage, Math.min(MAX_WAIT_MS, FIRST_TIMEOUT_MS * 2 ** attempt));
    } catch (cause) {
      onFault(cause);
      const waitMs = Math.min(MAX_WAIT_MS, FIRST_RETRY_MS * 4 ** attempt);
      await new Promise<void>((resolve) => inBackground(waitMs, resolve));
    }
  }
  return null;
}

async function read(storage: OrderedStorage, timeoutMs: number): Promise<Stored> {
  const text = await storage.get(STATE_KEY, timeoutMs);
  const state = text === null ? null : readState(text);
  const chunks: (string | null)[] = [];
  const { firstChunk, endChunk } = state ?? { firstChunk: 0, endChunk: 0 };
  for (let chunk = firstChunk; chunk < firstChunk + MAX_CHUNKS; chunk++) {
    const events = await storage.get(chunkKey(chunk), timeoutMs);
    if (!isChunk(events) && chunk >= endChunk) break;
    chunks.push(events);
  }
  const leftKeys: string[] = [];
  for (let old = firstChunk - 1; old >= 0; old--) {
    if (!isChunk(await storage.get(chunkKey(old), timeoutMs))) break;
    leftKeys.push(chunkKey(old));
  }
  return { state, isDamaged: text !== null && state === null, chunks, leftKeys };
}

/** Some storages answer another text for a key that is missing. */
function isChunk(text: string | null): boolean {
  return text?.[0] === '[';
}

const owners = new WeakMap<KeyValueStorage, Map<string, object>>();

/** Two clients on one storage would overwrite each other. @throws if another client has it. */
export function takeStorage(storage: KeyValueStorage, prefix: string, owner: object): void {
  const taken = owners.get(storage) ?? new Map<string, object>();
  owners.set(storage, taken);
  if (taken.has(prefix) && taken.get(prefix) !== owner)
    throw new Error(
      'another client of this process uses this storage. Create one client for the whole app, or call shutdown() on the other one first',
    );
  taken.set(prefix, owner);
}

export function leaveStorage(storage: KeyValueStorage, prefix: string, owner: object): void {
  const taken = owners.get(storage);
  if (taken?.get(prefix) === owner) taken?.delete(prefix);
}
