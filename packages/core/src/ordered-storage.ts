import { orAfter } from './timing.ts';
import type { KeyValueStorage } from './types.ts';

/** Writes in the order of the calls, so that a kill between two writes leaves a state that was current once. */
export interface OrderedStorage {
  get(key: string): Promise<string | null>;
  /** Calls the storage in the same turn unless an earlier write is under way. Null removes the key. */
  set(key: string, value: string | null): void;
  /** Resolves once all writes so far have ended, or after `SETTLE_TIMEOUT_MS`. */
  settled(): Promise<unknown>;
}

/** A storage that hangs must not keep the app from its links. */
const SETTLE_TIMEOUT_MS = 3_000;

/** @param prefix of all keys. */
export function orderWrites(
  storage: KeyValueStorage,
  prefix: string,
  onFault: (cause: unknown) => void,
): OrderedStorage {
  const waiting: { key: string; value: string | null }[] = [];
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        const key = prefix + next.key;
        await (next.value === null ? storage.removeItem(key) : storage.setItem(key, next.value));
      } catch (cause) {
        onFault(cause);
      }
    }
    running = null;
  }

  return {
    get: (key) => storage.getItem(prefix + key),
    set(key, value) {
      const last = waiting[waiting.length - 1];
      if (last?.key === key) last.value = value;
      else waiting.push({ key, value });
      running ??= run();
    },
    settled: () => orAfter(SETTLE_TIMEOUT_MS, Promise.resolve(running), () => null),
  };
}

export function memoryStorage(): KeyValueStorage {
  const values = new Map<string, string>();
  return {
    getItem: async (key) => values.get(key) ?? null,
    setItem: async (key, value) => values.set(key, value),
    removeItem: async (key) => values.delete(key),
  };
}
