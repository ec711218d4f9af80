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
