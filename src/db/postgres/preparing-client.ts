import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { isOfChangedTable } from '../faults.ts';

/** Of a connection; bounds the server's memory. The statement that was used longest ago gives way. */
const MAX_PREPARED = 300;
/** Texts that were used once, such as one with a rare number of values in an `in`. */
const MAX_SEEN = 1_000;
/** Statements with more values have another text for each number of rows. */
const MAX_VALUES = 64;

/** Message of `pg` after `query_timeout`. */
const TIMEOUT_MESSAGE = 'Query read timeout';

/** Shared by the connections of a pool: how often tables have changed under their statements. */
export interface TableChanges {
  count: number;
}

type PreparingConfig = pg.ClientConfig & { readonly tableChanges?: TableChanges };

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
  #isForgetting = false;

  readonly #changes: TableChanges;
  #knownChanges: number;

  constructor(config: PreparingConfig = {}) {
    super(config);
    this.#changes = config.tableChanges ?? { count: 0 };
    this.#knownChanges = this.#changes.count;
  }

  override query(...args: unknown[]): never {
    if (this.#knownChanges !== this.#changes.count) this.#forgetAll();
    const [text, values, ...rest] = args;
    const name =
      typeof text === 'string' && Array.isArray(values) && values.length <= MAX_VALUES
        ? this.#nameOf(text)
        : undefined;
    if (name === undefined) return this.#send(args) as never;
    const named = { name, text, values };
    const callback = rest.at(-1);
    if (typeof callback === 'function')
      return this.#send([named, undefined, this.#again(args, callback)]) as never;
    const sent = this.#send([named, undefined, ...rest]) as Promise<unknown>;
    return sent.catch((error: unknown) => {
      if (!this.#hasChangedTable(error)) throw error;
      return this.#send(args);
    }) as never;
  }

  #again(args: readonly unknown[], callback: unknown): Callback {
    return (error, ...result) => {
      if (this.#hasChangedTable(error)) this.#send(args);
      else (callback as Callback)(error, ...result);
    };
  }

  /**
   * A newer version that adds a column makes statements that read all columns of the table fail by their name: all are
   * prepared anew, by all connections. @returns whether the statement can run again: a transaction has failed as a whole.
   */
  #hasChangedTable(error: unknown): boolean {
    if (!isOfChangedTable(error)) return false;
    if (this.#knownChanges === this.#changes.count) this.#changes.count += 1;
    return this.getTransactionStatus() === 'I';
  }

  #forgetAll(): void {
    this.#knownChanges = this.#changes.count;
    this.#isForgetting = true;
    this.#names.clear();
    this.#isForgetting = false;
    super.query('deallocate all').catch(() => undefined);
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
    if (this.#isForgetting) return;
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
