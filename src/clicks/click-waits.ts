import { Counter, type Registry } from 'prom-client';

/** Which callers a wait counts for. */
export interface Waiter {
  readonly appId: string;
  /** Null where no address is known. */
  readonly ipHash: string | null;
}

const MAX_WAITS = 64;
const MAX_WAITS_OF_APP = 16;
const MAX_WAITS_OF_ADDRESS = 8;

/** Bounds how many calls of this process wait for clicks of other machines at once: each keeps asking the database. */
export class ClickWaits {
  readonly #running = new Map<string, number>();
  readonly #refusedTotal: Counter;

  constructor(metrics: Registry) {
    this.#refusedTotal = new Counter({
      name: 'throughline_click_waits_refused_total',
      help: 'Waits for clicks of other machines that were refused since too many were under way',
      registers: [metrics],
    });
  }

  /** Runs `wait`. @returns false at once where the process, the app or the address has too many waits under way. */
  async during({ appId, ipHash }: Waiter, wait: () => Promise<boolean>): Promise<boolean> {
    const counted: [key: string, bound: number][] = [
      ['process', MAX_WAITS],
      [appId, MAX_WAITS_OF_APP],
    ];
    if (ipHash !== null) counted.push([ipHash, MAX_WAITS_OF_ADDRESS]);
    if (counted.some(([key, bound]) => this.#count(key) >= bound)) {
      this.#refusedTotal.inc();
      return false;
    }
    for (const [key] of counted) this.#running.set(key, this.#count(key) + 1);
    try {
      return await wait();
    } finally {
      for (const [key] of counted) {
        if (this.#count(key) > 1) this.#running.set(key, this.#count(key) - 1);
        else this.#running.delete(key);
      }
    }
  }

  #count(key: string): number {
    return this.#running.get(key) ?? 0;
  }
}
