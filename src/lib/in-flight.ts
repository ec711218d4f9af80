import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from './clock.ts';
import type { Heartbeat } from './loop.ts';

/** Tracks calls in progress. */
export class InFlight {
  readonly #calls = new Set<Promise<unknown>>();

  async during<T>(call: () => Promise<T>): Promise<T> {
    const done = call();
    this.#calls.add(done);
    try {
      return await done;
    } finally {
      this.#calls.delete(done);
    }
  }

  /** Resolves when all calls that are in progress now have ended. */
  async settled(heartbeat: Heartbeat): Promise<void> {
    const ended = Promise.allSettled(this.#calls).then(() => true);
    while (!(await Promise.race([ended, sleep(SECOND_MS, false, { ref: false })]))) await heartbeat();
  }
}
