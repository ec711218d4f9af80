import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.ts';

/** What was read a moment ago, by key. */
export interface Remembered<T> {
  /** With `remember`, at most a second behind a change by another process. */
  get(key: string): Promise<T>;
  /** A change made by this process is seen here at once. */
  forget(key: string): void;
}

/** A change made elsewhere is seen after this at the latest; the promise is one second. */
export const TRUST_MS = 800;
const MAX_REMEMBERED = 10_000;

/** Bounds what is remembered beside its number, where one value may be as large as thousands of others. */
interface SizeBound<T> {
  readonly maxSize: number;
  /** At least 1. */
  sizeOf(value: T): number;
}

/** For what is asked with every call. What `read` rejects with is not remembered. */
export function remember<T>(
  clock: Clock,
  read: (key: string) => Promise<T>,
  bound?: SizeBound<T>,
): Remembered<T> {
  const known = new LRUCache<string, { value: T; readAtMs: number }>({
    max: MAX_REMEMBERED,
    ...(bound && { maxSize: bound.maxSize, sizeCalculation: ({ value }) => bound.sizeOf(value) }),
  });
  /** Counts what was forgotten: a read that began before must not bring it back. */
  let changes = 0;
  return {
    async get(key) {
      const entry = known.get(key);
      const nowMs = clock.nowMs();
      if (entry !== undefined && isTrusted(entry.readAtMs, nowMs)) return entry.value;
      const changesBefore = changes;
      const value = await read(key);
      if (changes === changesBefore) known.set(key, { value, readAtMs: nowMs });
      return value;
    },
    forget(key) {
      changes += 1;
      known.delete(key);
    },
  };
}

/** Whether what was read at a time may be believed still. A clock that was set back makes it old, and not young for that long. */
export function isTrusted(readAtMs: number, nowMs: number, trustMs: number = TRUST_MS): boolean {
  return nowMs >= readAtMs && nowMs - readAtMs <= trustMs;
}
