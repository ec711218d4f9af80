/** @returns the value of the promise, or of `late` if it takes longer than `ms`. */
export async function orAfter<T, L>(
  ms: number,
  promise: Promise<T>,
  late: () => L | Promise<L>,
): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(late()), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** In Node, a service that is away must not keep the process from ending. */
export function inBackground(ms: number, run: () => void): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, ms);
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

/** Clocks of phones jump: a time in the future is as far away as one in the past. */
export function isWithin(ms: number, one: number, other: number): boolean {
  return Math.abs(one - other) < ms;
}

const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** ISO 8601, of a year that the service takes. */
export function toIso(ms: number): string {
  return new Date(Math.min(Math.max(ms || 0, 0), LATEST_MS)).toISOString();
}

export interface Signal<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

export function createSignal<T>(): Signal<T> {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
