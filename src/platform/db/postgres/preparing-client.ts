import pg from 'pg';

/** Texts that vary (a list in an `in`) would fill every connection of the server with statements that never come again. */
const MAX_PREPARED = 300;
/** A statement with more values has one text for each number of rows. */
const MAX_VALUES = 64;

/** One name for each text, the same on every connection. */
const names = new Map<string, string>();

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_PREPARED) return known;
  const name = `throughline_${names.size + 1}`;
  names.set(text, name);
  return name;
}

/** What `pg` says of a statement that had no answer within `query_timeout`. */
const SILENCE = 'Query read timeout';

type Callback = (error: Error | undefined, ...answer: unknown[]) => void;

/**
 * A connection that has the server parse and plan each text once, which saves it about a third of what a short statement
 * costs. It breaks when the server says nothing in time: whoever used it next would wait behind that statement.
 */
export class PreparingClient extends pg.Client {
  override query(...args: unknown[]): never {
    const [text, values, ...rest] = args;
    const name =
      typeof text === 'string' && Array.isArray(values) && values.length <= MAX_VALUES
        ? nameOf(text)
        : undefined;
    return this.#ask(name === undefined ? args : [{ name, text, values }, undefined, ...rest]) as never;
  }

  #ask(args: readonly unknown[]): unknown {
    const query = super.query as (...args: unknown[]) => unknown;
    const callback = args.at(-1);
    if (typeof callback === 'function')
      return query.apply(this, [...args.slice(0, -1), this.#breakingOnSilence(callback as Callback)]);
    const answer = query.apply(this, [...args]);
    // A statement that is an object of its own, which a copy is, hears of its end by itself.
    if (answer instanceof Promise) answer.catch((error: unknown) => this.#breakOnSilence(error));
    return answer;
  }

  #breakingOnSilence(callback: Callback): Callback {
    return (error, ...answer) => {
      this.#breakOnSilence(error);
      callback(error, ...answer);
    };
  }

  #breakOnSilence(error: unknown): void {
    if (error instanceof Error && error.message === SILENCE) void this.end();
  }
}
