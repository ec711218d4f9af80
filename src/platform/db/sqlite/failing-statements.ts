import { isUnreadablePage } from '../faults.ts';

/** Far more than one damaged page has. */
const MAX_STATEMENTS = 100;

/**
 * Statements that met a damaged page and have not succeeded since. A check of its own would look at other pages, so only the
 * statements themselves tell.
 */
export class FailingStatements {
  readonly #faults = new Map<string, unknown>();

  succeeded(sql: string): void {
    if (this.#faults.size > 0) this.#faults.delete(sql);
  }

  failed(sql: string, error: unknown): void {
    if (isUnreadablePage(error) && this.#faults.size < MAX_STATEMENTS) this.#faults.set(sql, error);
  }

  /** Runs a statement and notes how it ended. */
  async during<T>(sql: string, run: Promise<T>): Promise<T> {
    try {
      const result = await run;
      this.succeeded(sql);
      return result;
    } catch (error) {
      this.failed(sql, error);
      throw error;
    }
  }

  /** The fault of one of them; undefined where there is none. */
  get fault(): unknown {
    return this.#faults.values().next().value;
  }
}
