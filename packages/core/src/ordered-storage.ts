import { createSignal, inBackground, orAfter, type Signal } from './timing.ts';
import type { KeyValueStorage } from './types.ts';

/** Writes in the order of the calls. A value is made when it is written, so that many changes are one write. */
export interface OrderedStorage {
  /** @throws if the storage fails or takes longer than `timeoutMs`. */
  get(key: string, timeoutMs: number): Promise<string | null>;
  /** Calls the storage in the same turn unless an earlier write is under way. Null removes the key. */
  set(key: string, value: (() => string) | null): void;
  /** Begins to write. */
  release(): void;
  /** Forgets what is not written yet. */
  forget(): void;
  /** Resolves once all writes so far have ended; at once if the storage hangs or fails. */
  settled(): Promise<unknown>;
  /** Resolves once the storage holds everything. */
  written(): Promise<void>;
}

/** A storage that hangs must not keep the app from its links. */
const WRITE_TIMEOUT_MS = 3_000;
const HANGS = 'no answer';
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/** @param prefix of all keys. */
export function orderWrites(
  storage: KeyValueStorage,
  prefix: string,
  onFault: (cause: unknown) => void,
): OrderedStorage {
  const waiting = new Map<string, (() => string) | null>();
  let running: Promise<void> | null = null;
  let isHeld = true;
  let retry: ReturnType<typeof setTimeout> | null = null;
  let failures = 0;
  let isWritten: Signal<void> | null = null;

  async function run(): Promise<void> {
    // Those that fail go to the end: a removal behind them may make room.
    for (let failed = 0; failed < waiting.size; ) {
      const [key, value] = waiting.entries().next().value as [string, (() => string) | null];
      waiting.delete(key);
      const fault = await write(key, value);
      if (fault === null) failures = 0;
      else {
        onFault(fault);
        failed = fault === HANGS ? waiting.size + 1 : failed + 1;
        if (!waiting.has(key)) waiting.set(key, value);
      }
    }
    running = null;
    if (waiting.size > 0) tryLater();
    else end();
  }

  function end(): void {
    isWritten?.resolve();
    isWritten = null;
  }

  /** @returns the fault, or null. */
  async function write(key: string, value: (() => string) | null): Promise<unknown> {
    try {
      const ended =
        value === null ? storage.removeItem(prefix + key) : storage.setItem(prefix + key, value());
      return await orAfter(
        WRITE_TIMEOUT_MS,
        Promise.resolve(ended).then(() => null),
        () => HANGS,
      );
    } catch (cause) {
      return cause ?? 'unknown';
    }
  }

  function tryLater(): void {
    retry = inBackground(Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures), () => {
      retry = null;
      begin();
    });
    failures = Math.min(failures + 1, 6);
  }

  function begin(): void {
    if (!isHeld && retry === null) running ??= run();
  }

  return {
    async get(key, timeoutMs) {
      const value = await orAfter(timeoutMs, Promise.resolve(storage.getItem(prefix + key)), () =>
        Promise.reject(new Error(`no answer within ${timeoutMs / 1_000} s`)),
      );
      return typeof value === 'string' && value !== '' ? value : null;
    },
    set(key, value) {
      waiting.set(key, value);
      begin();
    },
    release() {
      isHeld = false;
      if (waiting.size > 0) begin();
    },
    forget() {
      waiting.clear();
      if (running === null) end();
    },
    async written() {
      if (waiting.size === 0 && running === null) return;
      isWritten ??= createSignal();
      await isWritten.promise;
    },
    settled: () => Promise.resolve(retry === null ? running : null),
  };
}

export function memoryStorage(): KeyValueStorage {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
  };
}
