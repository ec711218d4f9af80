/** With the database slow, a visitor gets by what was known before rather than wait longer. */
const PATIENCE_MS = 500;

/** What is being read anew while something older is known. */
export interface Reading<T> {
  readonly value: Promise<T>;
  /**
   * Resolves when visitors wait for the value no longer. That is counted from when the reading began, so that of all
   * who come while the database is silent only the first wait.
   */
  readonly late: Promise<void>;
}

/** To be called when the reading begins. */
export function toReading<T>(value: Promise<T>): Reading<T> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, PATIENCE_MS);
  const stopTimer = () => clearTimeout(timer);
  value.then(stopTimer, stopTimer);
  return { value, late };
}
