import type { ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import { type Line, Turns } from '../lib/turns.ts';

/** Hashes run on Node's four pool threads, which file and DNS calls share. */
const MAX_CONCURRENT = 2;
const MAX_WAITING = 40;
const MAX_WAITING_OF_CALLER = 2;

/** Whose turn it is: strangers wait by address; who proved a token, a session or a known browser waits by user, before them. */
export interface Turn {
  readonly caller: string;
  readonly isKnown: boolean;
  /** The client may leave before its turn comes. */
  readonly response: Pick<ServerResponse, 'once' | 'off' | 'destroyed'>;
}

/** Two works at a time. Those that wait run round robin by caller, so that nobody waits for all of a flood. */
export function createHashTurns(): Turns<Turn> {
  const [known, strangers] = [new Lane(), new Lane()];
  return new Turns(MAX_CONCURRENT, {
    wait: (turn) => (turn.isKnown ? known : strangers).wait(turn),
    next: () => known.next() ?? strangers.next(),
  });
}

class Lane implements Line<Turn> {
  #waiting = 0;
  /** In the order of their turns: a caller that had one goes to the end. */
  readonly #lines = new Map<string, (() => void)[]>();

  /** @throws AppError `server.busy` if too many wait, or the client left meanwhile. */
  async wait({ caller, response }: Turn): Promise<void> {
    const line = this.#lines.get(caller) ?? [];
    if (this.#waiting >= MAX_WAITING || line.length >= MAX_WAITING_OF_CALLER) throw busy();
    if (response.destroyed) throw busy();
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        response.off('close', leave);
        resolve();
      };
      const leave = () => {
        this.#remove(caller, start);
        reject(busy());
      };
      response.once('close', leave);
      this.#lines.set(caller, [...line, start]);
      this.#waiting += 1;
    });
  }

  next(): (() => void) | undefined {
    for (const [caller, line] of this.#lines) {
      const [start] = line;
      if (start === undefined) continue;
      this.#remove(caller, start);
      return start;
    }
    return undefined;
  }

  #remove(caller: string, start: () => void): void {
    const rest = (this.#lines.get(caller) ?? []).filter((one) => one !== start);
    this.#lines.delete(caller);
    if (rest.length > 0) this.#lines.set(caller, rest);
    this.#waiting -= 1;
  }
}

function busy(): AppError {
  return new AppError('server.busy', {
    message: 'Too many people sign in at once. Try again after Retry-After seconds.',
  });
}
