import { isUnreadablePage } from '../faults.ts';

/** Far more than the statements that use one page. */
const MAX_STATEMENTS = 100;

/** Statements that met a damaged page and have not succeeded since. A separate check would read other pages. */
export class FailingStatements {
  readonly #faults = new Map<string, unknown>();

  succeeded(sql: string): void {
    if (this.#faults.size > 0) this.#faults.delete(sql);
  }

  failed(sql: string, error: unknown): void {
    if (isUnreadablePage(error) && this.#faults.size < MAX_STATEMENTS) this.#faults.set(sql, error);
  }

  async track<T>(sql: string, run: Promise<T>): Promise<T> {
    try {
      const result = await run;
      this.succeeded(sql);
      return result;
    } catch (error) {
      this.failed(sql, error);
      throw error;
    }
  }

  /** The error of the oldest such statement, or undefined. */
  get fault(): unknown {
    return this.#faults.values().next().value;
  }
}
