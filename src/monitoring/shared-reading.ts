import { SECOND_MS } from '../lib/clock.ts';

/** Scrapes that follow each other faster share a reading. */
const READ_EVERY_MS = 20 * SECOND_MS;
/** A scrape waits no longer for a database that does not answer. */
const WAIT_MS = SECOND_MS;

/** A reading of the database that scrapes share, and that never keeps one of them waiting. */
export class SharedReading<T> {
  readonly #read: () => Promise<T>;
  readonly #nowMs: () => number;
  #running: Promise<void> | null = null;
  #startedMs = Number.NEGATIVE_INFINITY;
  #last: { readonly value: T | null } | null = null;

  /** @param read rejects while the database is away. */
  constructor(read: () => Promise<T>, nowMs: () => number) {
    this.#read = read;
    this.#nowMs = nowMs;
  }

  /** The last reading; null while it fails or does not end. */
  async latest(): Promise<T | null> {
    if (this.#running === null && this.#sinceMs() >= READ_EVERY_MS) this.#start();
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
          // The next scrape is to see that the database is back.
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
