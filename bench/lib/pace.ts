import { setTimeout as wait } from 'node:timers/promises';

/** Starts a call every `intervalMs` without waiting for earlier ones. @throws the first error of a call. */
export async function callAtPace<T>(
  intervalMs: number,
  shouldContinue: (count: number) => boolean,
  call: (n: number) => Promise<T>,
): Promise<T[]> {
  const startMs = performance.now();
  const calls: Promise<T>[] = [];
  for (let n = 0; shouldContinue(n); n++) {
    await wait(Math.max(0, startMs + n * intervalMs - performance.now()));
    const running = call(n);
    // Handled by `Promise.all` below.
    running.catch(() => undefined);
    calls.push(running);
  }
  return await Promise.all(calls);
}
