const GIVE_UP_AFTER_MS = 40_000;
const LOOK_EVERY_MS = 100;

/** Waits for what happens in the background. Gives what `look` found, or fails when it never finds it. */
export async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const deadlineMs = Date.now() + GIVE_UP_AFTER_MS;
  while (Date.now() < deadlineMs) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error(`never happened: ${what}`);
}

/** Does the work at the first call and gives its result at every call, so that each row of a table is a case. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
