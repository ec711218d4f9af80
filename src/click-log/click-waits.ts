import { Counter, type Registry } from 'prom-client';

export interface Waiter {
  readonly appId: string;
  /** Null if the address is unknown. */
  readonly ipHash: string | null;
  /** Monotonic time from which the wait counts, by default its start: items of a batch wait together, not in turn. */
  readonly sinceMs?: number | undefined;
}

const MAX_WAITS = 64;
const MAX_WAITS_OF_APP = 16;
const MAX_WAITS_OF_ADDRESS = 8;

/** Limits the concurrent waits for clicks of other processes, since each polls the database. */
export class ClickWaits {
  readonly #running = new Map<string, number>();
  readonly #refusedTotal: Counter;

  constructor(metrics: Registry) {
    this.#refusedTotal = new Counter({
      name: 'throughline_click_waits_refused_total',
      help: 'Waits for clicks of other processes that were refused because of too many concurrent ones',
      registers: [metrics],
    });
  }

  /** Runs `wait`. @returns undefined at once if the process, the app or the address has too many waits. */
  async during<T>({ appId, ipHash }: Waiter, wait: () => Promise<T>): Promise<T | undefined> {
    const limits: [key: string, limit: number][] = [
      ['process', MAX_WAITS],
      [appId, MAX_WAITS_OF_APP],
    ];
    if (ipHash !== null) limits.push([ipHash, MAX_WAITS_OF_ADDRESS]);
    if (limits.some(([key, limit]) => this.#count(key) >= limit)) {
      this.#refusedTotal.inc();
      return undefined;
    }
    for (const [key] of limits) this.#running.set(key, this.#count(key) + 1);
    try {
      return await wait();
    } finally {
      for (const [key] of limits) {
        if (this.#count(key) > 1) this.#running.set(key, this.#count(key) - 1);
        else this.#running.delete(key);
      }
    }
  }

  #count(key: string): number {
    return this.#running.get(key) ?? 0;
  }
}
