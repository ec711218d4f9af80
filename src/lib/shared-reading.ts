import { SECOND_MS } from './clock.ts';

/** The longest wait for a database that does not answer. */
const WAIT_MS = SECOND_MS;

/** A reading of the database that several callers share, and that never keeps one of them waiting. */
export class SharedReading<T> {
  readonly #read: () => Promise<T>;
  readonly #everyMs: number;
  readonly #nowMs: () => number;
  #running: Promise<void> | null = null;
  #startedMs = Number.NEGATIVE_INFINITY;
  #last: { readonly value: T | null } | null = null;

  /** @param read rejects while the database is away. @param options.everyMs callers within it share a reading. */
  constructor(read: () => Promise<T>, { everyMs, nowMs }: { everyMs: number; nowMs: () => number }) {
    this.#read = read;
    this.#everyMs = everyMs;
    this.#nowMs = nowMs;
  }

  /** The last reading; null while it fails or does not end. */
  async latest(): Promise<T | null> {
    if (this.#running === null && this.#sinceMs() >= this.#everyMs) this.#start();
    const running = this.#running;
    if (running !== null) await within(running);
    const isStuck = this.#running !== null && this.#sinceMs() >= WAIT_MS;
    return isStuck ? null : (this.#last?.value ?? null);
  }

  /** A clock may be set back. */
  #sinceMs(): number {
    return Math.abs(this.#nowMs() - this.#startedMs);
  }

  #start(): void {
    this.#startedMs = this.#nowMs();
    this.#running = this.#read()
      .then(
        (value) => {
          this.#last = { value };
        },
        () => {
          this.#last = { value: null };
          // The next caller is to see that the database is back.
          this.#startedMs = Number.NEGATIVE_INFINITY;
        },
      )
      .finally(() => {
        this.#running = null;
      });
  }
}

async function within(running: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, WAIT_MS);
  await Promise.race([running, promise]);
  clearTimeout(timer);
}
