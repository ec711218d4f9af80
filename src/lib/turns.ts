/** What waits for a place, and in which order. */
export interface Line<Turn> {
  /** Resolves once the turn has a place. @throws if it may not wait. */
  wait(turn: Turn): Promise<void>;
  /** Takes the next one out of the line. @returns a function that gives it a place. */
  next(): (() => void) | undefined;
}

/** Runs a number of works at a time. */
export class Turns<Turn> {
  readonly #max: number;
  readonly #line: Line<Turn>;
  #running = 0;

  constructor(max: number, line: Line<Turn>) {
    this.#max = max;
    this.#line = line;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** @throws as the line and the work do. */
  async run<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#max) await this.#line.wait(turn);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The place passes to the next in line.
      const next = this.#line.next();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** Runs a call once less than the maximum of its key's calls are running. */
export type InTurn = <T>(key: string, call: () => Promise<T>) => Promise<T>;

/** How many calls of a key may wait, and the error of one more. */
interface Waiting {
  readonly max: number;
  readonly refusal: () => Error;
}

/** Calls of a key wait for each other, in order of arrival, but never for those of another key. */
export function createTurns(max: number, waiting?: Waiting): InTurn {
  const byKey = new Map<string, Turns<void>>();
  return async (key, call) => {
    const turns = byKey.get(key) ?? new Turns(max, inOrder(waiting));
    byKey.set(key, turns);
    try {
      return await turns.run(undefined, call);
    } finally {
      if (turns.isIdle) byKey.delete(key);
    }
  };
}

function inOrder(bound: Waiting | undefined): Line<void> {
  const waiting: (() => void)[] = [];
  return {
    async wait() {
      if (bound !== undefined && waiting.length >= bound.max) throw bound.refusal();
      await new Promise<void>((resolve) => waiting.push(resolve));
    },
    next: () => waiting.shift(),
  };
}
