/** Three attempts of 10 seconds and their pauses, on a loaded machine. */
const GIVE_UP_AFTER_MS = 120_000;

/** Polls until `look` returns a value. @throws after `withinMs`. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  { everyMs = 30, withinMs = GIVE_UP_AFTER_MS } = {},
): Promise<T> {
  const deadlineMs = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadlineMs) throw new Error(`Timed out waiting for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
