import { monotonicMs } from './clock.ts';

/** Shares calls: callers that arrive during a call share the next one, so that no caller gets a result older than its request. */
export function coalesce<T>(call: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | null = null;
  let next: Promise<T> | null = null;

  function start(): Promise<T> {
    next = null;
    const started = call().finally(() => {
      if (current === started) current = null;
    });
    current = started;
    return started;
  }
  return () => {
    if (current === null) return start();
    next ??= current.then(start, start);
    return next;
  };
}

/** Caches the result of `read` for `ms`; concurrent callers share one call. */
export function cachedFor<T>(
  ms: number,
  read: () => Promise<T>,
  nowMs: () => number = monotonicMs,
): () => Promise<T> {
  let last: { readonly value: T; readonly atMs: number } | null = null;
  return coalesce(async () => {
    if (last === null || Math.abs(nowMs() - last.atMs) >= ms) last = { value: await read(), atMs: nowMs() };
    return last.value;
  });
}
