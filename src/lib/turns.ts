/** Runs a call once less than the maximum of its key's calls are running. */
export type InTurn = <T>(key: string, call: () => Promise<T>) => Promise<T>;

interface Turns {
  running: number;
  /** In order of arrival. */
  readonly waiting: (() => void)[];
}

/** Calls of a key wait for each other, but never for those of another key. @param max calls of a key at a time. */
export function createTurns(max: number): InTurn {
  const byKey = new Map<string, Turns>();
  return async (key, call) => {
    const turns = byKey.get(key) ?? { running: 0, waiting: [] };
    byKey.set(key, turns);
    if (turns.running < max) turns.running += 1;
    // The call that ends hands its place over.
    else await new Promise<void>((resolve) => turns.waiting.push(resolve));
    try {
      return await call();
    } finally {
      const next = turns.waiting.shift();
      if (next === undefined) turns.running -= 1;
      else next();
      if (turns.running === 0) byKey.delete(key);
    }
  };
}
