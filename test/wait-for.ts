/** Three attempts of 10 seconds and their pauses, on a machine that does something else too. */
const GIVE_UP_AFTER_MS = 120_000;

/** Waits for what happens in the background. Gives what `look` found. @throws when it never finds it. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  { everyMs = 100, withinMs = GIVE_UP_AFTER_MS } = {},
): Promise<T> {
  const deadlineMs = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadlineMs) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
