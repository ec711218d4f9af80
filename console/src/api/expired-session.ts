/** The end of a session while the console is open: calls wait here until the user has signed in again. */

interface Waiting {
  readonly resume: () => void;
  readonly promise: Promise<void>;
}

let waiting: Waiting | null = null;
const listeners = new Set<() => void>();

/** Resolves once the user has signed in again. */
export function signedInAgain(): Promise<void> {
  if (waiting === null) {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting = { promise, resume: resolve };
    tell();
  }
  return waiting.promise;
}

/** Lets the waiting calls go on. */
export function resume(): void {
  waiting?.resume();
  waiting = null;
  tell();
}

export function isExpired(): boolean {
  return waiting !== null;
}

export function onExpired(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}
