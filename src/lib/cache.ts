import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.ts';

export interface Cache<T> {
  /** Concurrent callers share a read. Rejects as `load` does; a failure is not cached. */
  get(key: string): Promise<T>;
  /** Call it after a change in this process: later reads see it. */
  forget(key: string): void;
}

/** Below the documented second within which a change by another process is visible. */
export const MAX_AGE_MS = 800;
const MAX_ENTRIES = 10_000;

interface Entry<T> {
  readonly value: Promise<T>;
  readonly readAtMs: number;
}

/**
 * A bounded cache. The age of a value counts from the start of its read, so that no caller gets a value older than
 * `maxAgeMs`, even from a slow read. (`fetch()` of lru-cache counts from its end, and joins a read of any age.)
 */
export function createCache<T>(
  clock: Clock,
  load: (key: string) => Promise<T>,
  { maxAgeMs = MAX_AGE_MS, max = MAX_ENTRIES }: { maxAgeMs?: number; max?: number } = {},
): Cache<T> {
  const entries = new LRUCache<string, Entry<T>>({ max });
  return {
    async get(key) {
      const nowMs = clock.nowMs();
      const known = entries.get(key);
      if (known !== undefined && isFresh(known.readAtMs, nowMs, maxAgeMs)) return await known.value;
      const entry = { value: load(key), readAtMs: nowMs };
      entries.set(key, entry);
      try {
        return await entry.value;
      } catch (error) {
        if (entries.peek(key) === entry) entries.delete(key);
        throw error;
      }
    },
    forget: (key) => void entries.delete(key),
  };
}

/** False after the clock is set back: the value would stay fresh for too long. */
export function isFresh(readAtMs: number, nowMs: number, maxAgeMs: number = MAX_AGE_MS): boolean {
  return nowMs >= readAtMs && nowMs - readAtMs <= maxAgeMs;
}

/** When the database is slow, requests continue with a stale value after this time. */
const TIMEOUT_MS = 500;

/** A read that replaces a stale value. */
export interface PendingRead<T> {
  readonly value: Promise<T>;
  /** Resolves 500 ms after the read began: with a silent database, later requests do not wait at all. */
  readonly timeout: Promise<void>;
}

/** Call it when the read begins. */
export function toPendingRead<T>(value: Promise<T>): PendingRead<T> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, TIMEOUT_MS);
  const stopTimer = () => clearTimeout(timer);
  value.then(stopTimer, stopTimer);
  return { value, timeout };
}
