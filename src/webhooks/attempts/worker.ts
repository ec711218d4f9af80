/**
 * Runs batches one after another while there is work. Work that arrives during a batch forms the next one, so batches grow
 * with the load.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../../db/index.ts';
import { SECOND_MS } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

const RETRY_UNAVAILABLE_MS = SECOND_MS;
/** Short: after any other fault the next batch is smaller. */
const RETRY_REFUSED_MS = 50;

interface WorkerOptions {
  readonly log: Log;
  /** Leaves the database to other work between batches. */
  readonly pauseMs: number;
  /** @returns the next batch; null if there is no work. */
  readonly takeBatch: () => (() => Promise<void>) | null;
}

export class Worker {
  readonly #options: WorkerOptions;
  #isStopping = false;
  #running: Promise<void> | null = null;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Runs batches until no work is left, unless they already run. */
  run(): void {
    this.#running ??= this.#runBatches();
  }

  /** From now on without pauses, and a fault ends the batches. */
  hurry(): void {
    this.#isStopping = true;
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async #runBatches(): Promise<void> {
    const { log, pauseMs, takeBatch } = this.#options;
    // Endpoints woken in the same tick share a batch.
    await Promise.resolve();
    for (;;) {
      const runBatch = takeBatch();
      if (runBatch === null) break;
      try {
        await runBatch();
        if (pauseMs > 0 && !this.#isStopping) await sleep(pauseMs);
      } catch (error) {
        log.warn({ err: error }, 'Failed to claim or record webhook deliveries; will retry');
        // Unrecorded attempts are recovered as abandoned ones.
        if (this.#isStopping) break;
        await sleep(isUnavailable(error) ? RETRY_UNAVAILABLE_MS : RETRY_REFUSED_MS);
      }
    }
    // In the same tick as the last check for work, so that a later `run` starts anew.
    this.#running = null;
  }
}
