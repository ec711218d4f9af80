import { LRUCache } from 'lru-cache';
import pg from 'pg';

/** Of a connection; bounds the server's memory. The statement that was used longest ago gives way. */
const MAX_PREPARED = 300;
/** Texts that were used once, such as one with a rare number of values in an `in`. */
const MAX_SEEN = 1_000;
/** Statements with more values have another text for each number of rows. */
const MAX_VALUES = 64;

/** Message of `pg` after `query_timeout`. */
const TIMEOUT_MESSAGE = 'Query read timeout';

type Callback = (error: Error | undefined, ...result: unknown[]) => void;

/**
 * Prepares statements by name at their second use, which saves the server about a third of the cost of a short one. Closes
 * the connection after a timeout, since the next query would wait behind the one that timed out.
 */
export class PreparingClient extends pg.Client {
  /** Names by text. */
  readonly #names = new LRUCache<string, string>({
    max: MAX_PREPARED,
    dispose: (name) => this.#forget(name),
  });
  readonly #seen = new LRUCache<string, true>({ max: MAX_SEEN });
  #prepared = 0;

  override query(...args: unknown[]): never {
    const [text, values, ...rest] = args;
    const name =
      typeof text === 'string' && Array.isArray(values) && values.length <= MAX_VALUES
        ? this.#nameOf(text)
        : undefined;
    return this.#send(name === undefined ? args : [{ name, text, values }, undefined, ...rest]) as never;
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (!this.#seen.has(text)) {
      this.#seen.set(text, true);
      return undefined;
    }
    this.#prepared += 1;
    const name = `throughline_${this.#prepared}`;
    this.#names.set(text, name);
    return name;
  }

  /** Runs before the query that takes the place. In a failed transaction the server keeps the statement. */
  #forget(name: string): void {
    super.query(`deallocate ${name}`).catch(() => undefined);
  }

  #send(args: readonly unknown[]): unknown {
    const query = super.query as (...args: unknown[]) => unknown;
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      const closing: Callback = (error, ...result) => {
        this.#closeOnTimeout(error);
        (callback as Callback)(error, ...result);
      };
      return query.apply(this, [...args.slice(0, -1), closing]);
    }
    const result = query.apply(this, [...args]);
    // A submittable, such as a COPY stream, handles its own errors.
    if (result instanceof Promise) result.catch((error: unknown) => this.#closeOnTimeout(error));
    return result;
  }

  #closeOnTimeout(error: unknown): void {
    if (error instanceof Error && error.message === TIMEOUT_MESSAGE) void this.end();
  }
}
