import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from './clock.ts';
import type { GoOn } from './loop.ts';

/** What is under way, for whoever has to wait for it. */
export class UnderWay {
  readonly #calls = new Set<Promise<unknown>>();

  /** Does `call`, which is under way until it ends, however it does. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    const done = call();
    this.#calls.add(done);
    try {
      return await done;
    } finally {
      this.#calls.delete(done);
    }
  }

  /** Resolves when all that is under way now has ended. Who comes later is not waited for. */
  async settled(goOn: GoOn): Promise<void> {
    const ended = Promise.allSettled(this.#calls).then(() => true);
    while (!(await Promise.race([ended, sleep(SECOND_MS, false, { ref: false })]))) await goOn();
  }
}
