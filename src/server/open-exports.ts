import type { Readable } from 'node:stream';
import { AppError } from '../errors.ts';

/** Each holds up to some 20 MB of large records. */
const MAX_OF_APP = 5;
const RETRY_AFTER_SECONDS = 5;

/** Counts the exports of this process that have not ended, by app: an app can have any number of keys. */
export class OpenExports {
  readonly #counts = new Map<string, number>();

  /** @throws AppError `rate.limited`. */
  assertRoom(appId: string): void {
    if (this.#of(appId) >= MAX_OF_APP)
      throw new AppError('rate.limited', {
        message: `The app has ${MAX_OF_APP} open exports, as many as it may. Try again after one has ended.`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
  }

  /** Until the export has ended, or its reader is gone. */
  add(appId: string, stream: Readable): void {
    this.#counts.set(appId, this.#of(appId) + 1);
    stream.once('close', () => {
      const left = this.#of(appId) - 1;
      if (left === 0) this.#counts.delete(appId);
      else this.#counts.set(appId, left);
    });
  }

  #of(appId: string): number {
    return this.#counts.get(appId) ?? 0;
  }
}
